#!/usr/bin/env bash
# Tries the libraries as users do: a C++ project by find_package and one by add_subdirectory, a Python script, a pytest
# project with the plugin, the example with PyTorch. All must give the same bits as the program.
#   scripts/try_libraries.sh [BUILD]             what BUILD (default build/release) installs, into a temporary folder
#   scripts/try_libraries.sh --installed PREFIX  an installation by packages (/usr) or make install
#   PROGRAM=... names the program if neither of them has it (AQBENCH_LIBRARIES_ONLY).
#   --sources too: also by add_subdirectory, which compiles the library (a minute or two)
set -euo pipefail
sources=$(cd "$(dirname "$0")/.." && pwd)
python=${PYTHON:-/usr/bin/python3}
by_sources=no installed='' build=$sources/build/release
while [ $# -gt 0 ]; do
  case $1 in
    --sources) by_sources=yes ;;
    --installed) installed=$(realpath "$2"); shift ;;
    *) build=$(realpath "$1") ;;
  esac
  shift
done
work=$(mktemp -d "${TMPDIR:-/tmp}/aqbench-libraries-XXXXXX")
trap 'rm -rf "$work"' EXIT
say() { printf '\n== %s\n' "$*"; }

if [ -z "$installed" ]; then
  # Packages install to /usr: with another prefix from such a build folder the library is not found.
  if grep -q '^AQBENCH_PACKAGING:[A-Z]*=ON' "$build/CMakeCache.txt"; then
    echo "try_libraries: $build is set up for packages (make packages); call make libraries" >&2
    exit 2
  fi
  cmake --install "$build" --prefix "$work/installed" >"$work/install.log" || { cat "$work/install.log" >&2; exit 1; }
  mv "$work/installed" "$work/moved"  # an installation can be moved
  installed=$work/moved
fi
module=$(find "$installed/lib" -path '*-packages/aqbench/__init__.py' -print -quit)
[ "$installed" = /usr ] || export PYTHONPATH="${module%/aqbench/__init__.py}"
export PYTHONDONTWRITEBYTECODE=1
program=${PROGRAM:-$(ls "$installed/bin/aqbench" "$build/aqbench" 2>/dev/null | head -n 1 || true)}
[ -x "$program" ] || { echo "try_libraries: no program aqbench in $installed/bin or $build" >&2; exit 2; }

consumer() {  # NAME CMAKE-ARGUMENT...
  local name=$1
  shift
  cmake -S "$sources/tests/consumer" -B "$work/$name" -DCMAKE_BUILD_TYPE=Release "$@" >"$work/$name.log" 2>&1 ||
    { tail -n 20 "$work/$name.log" >&2; exit 1; }
  cmake --build "$work/$name" --parallel --target consumer >"$work/$name.log" 2>&1 ||
    { tail -n 20 "$work/$name.log" >&2; exit 1; }
  "$work/$name/consumer" "$sources/docs/bundles/seed"
}

say "C++ by find_package"
consumer package "-DCMAKE_PREFIX_PATH=$installed"
library=$(find "$installed/lib" -name 'libaqbench.so.1' -print -quit)
nm -D --defined-only "$library" | c++filt | grep -v ' aqbench::v1::\| \(vtable\|typeinfo\|typeinfo name\) for aqbench::v1::\|AQBENCH_1' &&
  { echo "try_libraries: the library exports more than aqbench::v1" >&2; exit 1; }
echo "the library exports only aqbench::v1"

if [ -n "$module" ]; then
  say "Python"
  "$python" - "$work" "$program" "$sources" <<'PYTHON'
import json, subprocess, sys, numpy, aqbench
work, program, sources = sys.argv[1:]
print("aqbench", aqbench.__version__, aqbench.__file__)
points = numpy.random.default_rng(1).uniform([-0.25, -0.15, 1.17], [0.25, 0.15, 1.19], (20000, 3))
points.tofile(f"{work}/points.f64")
with open(f"{work}/points.ply", "wb") as file:
    head = f"ply\nformat binary_little_endian 1.0\nelement vertex {len(points)}\n"
    head += "".join(f"property double {axis}\n" for axis in "xyz") + "end_header\n"
    file.write(head.encode() + points.tobytes())
scores = aqbench.score(points, "undulating")
ask = [program, "eval", f"{work}/points.ply", "--scene", "undulating", "--json"]
metrics = json.loads(subprocess.run(ask, capture_output=True, check=True).stdout)["records"][0]["metrics"]
cpp = subprocess.run([f"{work}/package/consumer", "score", f"{work}/points.f64", "undulating"], capture_output=True,
                     text=True, check=True).stdout
cpp = {name: float.fromhex(value) for name, value in map(str.split, cpp.splitlines())}
assert {name: metric["value"] for name, metric in metrics.items()} == dict(scores) == cpp, "metrics differ"
print(f"{len(scores)} metrics of {len(points)} points: program, C++ and Python agree to the last bit")
print("cases of a bundle:", len(aqbench.Bundle(f"{sources}/docs/bundles/seed").cases))
PYTHON

  say "pytest, with the plugin that the installation brings"
  if "$python" -c 'import pytest' 2>/dev/null; then
    mkdir "$work/project"
    cat >"$work/project/test_mine.py" <<'PYTHON'
import os
import numpy as np

def test_my_method(aqbench_score):
    x, y = np.meshgrid(np.linspace(-0.2, 0.2, 41), np.linspace(-0.1, 0.1, 21))
    z = np.full(x.size, 1.178 + float(os.environ.get("ERROR_M", 0.0005)))
    aqbench_score(np.column_stack([x.ravel(), y.ravel(), z]), scene="flat_plane", baseline="scores.json")
PYTHON
    (cd "$work/project" && "$python" -m pytest -q -p no:cacheprovider --aqbench-accept | tail -n 1
     "$python" -m pytest -q -p no:cacheprovider | tail -n 1
     if ERROR_M=0.001 "$python" -m pytest -q -p no:cacheprovider >"$work/pytest.log"; then
       echo "try_libraries: a worse cloud passed the gate" >&2
       exit 1
     fi
     grep 'accuracy_mean_mm' "$work/pytest.log")
  else
    echo "skipped: python3-pytest is missing"
  fi

  say "types"
  if "$python" -c 'import mypy.stubtest' 2>/dev/null; then
    printf '[mypy]\nignore_missing_imports = True\n' >"$work/mypy.ini"  # pandas has no types
    (cd "$work" && "$python" -m mypy.stubtest aqbench --mypy-config-file mypy.ini --ignore-missing-stub --concise 2>&1 |
      tail -n 20)
  else
    echo "skipped: python3-mypy is missing"
  fi

  say "the example with PyTorch"
  "$python" "$sources/python/examples/train_and_score.py"
else
  echo "skipped: Python (no module in $installed)"
fi

if [ $by_sources = yes ]; then
  say "C++ by add_subdirectory"
  consumer sources "-DAQBENCH_SOURCES=$sources"
  [ ! -f "$work/points.f64" ] || cmp <("$work/package/consumer" score "$work/points.f64" undulating) \
    <("$work/sources/consumer" score "$work/points.f64" undulating)
fi
printf '\nall good\n'
