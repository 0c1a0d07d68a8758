#!/usr/bin/env bash
# Tries the wheel and the portable folder in bare Debian 12 and 13, Ubuntu 22.04 and 24.04 made by debootstrap, without
# network, compiler or development package: a venv, the first score, a suite and its gate, Python without and with numpy;
# the folder moved twice and run by a user without a home. Needs root. Prints sizes and times; leaves only the base
# systems in $CACHE.
#   scripts/try_wheel.sh [WHEEL] [PORTABLE.tar.zst]     default: those in build/release
#   SUITES="bookworm trixie" tries these alone.
set -euo pipefail
sources=$(cd "$(dirname "$0")/.." && pwd)
wheel=$(realpath "${1:-$(ls "$sources"/build/release/wheels/aqbench-*.whl)}")
portable=$(realpath "${2:-$(ls "$sources"/build/release/portable/aqbench-[0-9]*.tar.zst)}")
cache=${CACHE:-${TMPDIR:-/tmp}/aqbench-bare}
for tool in debootstrap zstd unshare; do
  command -v "$tool" >/dev/null || { echo "try_wheel: needs $tool (apt-get install $tool)" >&2; exit 2; }
done
[ "$(id -u)" -eq 0 ] || { echo "try_wheel: needs root, for chroot" >&2; exit 2; }

say() { printf '\n== %s\n' "$*"; }
fail() { echo "try_wheel: $*" >&2; exit 1; }
root=
cleanup() { [ -z "$root" ] || { umount "$root/proc" "$root/dev/shm" 2>/dev/null || true; rm -rf "$root"; }; }
trap cleanup EXIT

# No network, an empty environment; the words before the command are chroot's.
inside() { unshare -n chroot "${user[@]}" "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 \
  "${home[@]}" bash -euo pipefail -c "$1"; }

say "$(basename "$wheel"): $(stat -c %s "$wheel") bytes, $(basename "$portable"): $(stat -c %s "$portable") bytes"
[ "$(stat -c %s "$wheel")" -le 25000000 ] || fail "the wheel is larger than 25 MB"

try() {  # SUITE
  root=$(mktemp -d "$cache.try-XXXXXX")
  cp -a "$cache-$1/." "$root"
  mount -t proc proc "$root/proc"
  mkdir -p "$root/dev/shm" "$root/data" "$root/work"
  mount -t tmpfs tmpfs "$root/dev/shm"
  chmod 1777 "$root/dev/shm" "$root/work"
  cp "$wheel" "$root/data"
  cp "$sources"/tests/fuzz/corpus/depth/{plain.exr,float.tif} "$sources"/tests/data/images/{colour.jpg,grey.png} "$root/data"
  cp -r "$sources"/conformance/layouts "$root/data"
  chmod -R a+rX "$root/data"
  user=() home=(HOME=/root)

  say "$1: a venv without network, the first score"
  inside 'for tool in cc gcc g++ cmake; do ! command -v $tool || exit 1; done'
  local begin end
  begin=$(date +%s.%N)
  inside 'cd /work
    python3 -m venv venv
    venv/bin/pip install -q --no-index /data/aqbench-*.whl
    awk "BEGIN { for (x = -24; x <= 24; ++x) for (y = -14; y <= 14; ++y) print x / 100, y / 100, 1.178 + 0.0001 * (x % 3) }" >cloud.xyz
    venv/bin/aqbench eval cloud.xyz --scene flat_plane >score.txt
    head -n 8 score.txt'
  end=$(date +%s.%N)
  awk -v a="$begin" -v b="$end" 'BEGIN { printf "first score after %.1f s\n", b - a; exit b - a > 60 }' ||
    fail "the first score took longer than 60 s"
  inside 'cd /work; du -sh venv | cut -f 1; venv/bin/python --version; venv/bin/python -m aqbench --version'

  say "$1: a suite and its gate, as a recipe of CI runs them; a bundle is verified"
  inside 'cd /work; PATH=$PWD/venv/bin:$PATH
    SUITE=seed BASELINE=seed OUT=out aqbench-ci-gate | tail -n 4
    aqbench verify out/*/ | tail -n 1
    aqbench demo >demo.txt; tail -n 3 demo.txt'

  say "$1: files of images, and what the wheel lacks"
  inside 'cd /work; PATH=$PWD/venv/bin:$PATH
    aqbench eval /data/float.tif --protocol depth --truth /data/float.tif | grep -E "abs_rel +0( |$)"
    for asked in "eval /data/plain.exr --protocol depth --truth /data/float.tif" "render undulating --out tank"; do
      ! aqbench $asked 2>error.txt || exit 1
      cat error.txt
      grep -q "not in the wheel" error.txt
    done'

  say "$1: Python without numpy, with the bits of the program"
  cp "$sources/scripts/try_wheel.py" "$root/data"
  inside 'cd /work; venv/bin/python /data/try_wheel.py'
  if inside '/usr/bin/python3 -c "import numpy" 2>/dev/null'; then
    say "$1: Python with numpy"
    inside 'cd /work; python3 -m venv --system-site-packages with; with/bin/pip install -q --no-index /data/aqbench-*.whl
      with/bin/python /data/try_wheel.py'
  fi

  say "$1: the portable folder, moved twice, by a user without a home"
  mkdir "$root/first"
  tar -C "$root/first" --zstd -xf "$portable"
  mkdir -p "$root/second" "$root/work/third place"
  mv "$root"/first/aqbench-* "$root/second/aqbench"
  mv "$root/second/aqbench" "$root/work/third place/moved"
  mkdir "$root/work/nobody"
  chmod 777 "$root/work/nobody"
  user=(--userspec=54321:54321) home=()
  inside 'cd /work/nobody; test -z "${HOME:-}"; id -u
    program="/work/third place/moved/bin/aqbench"
    cp /work/cloud.xyz .
    "$program" eval cloud.xyz --scene flat_plane >score.txt
    cmp score.txt /work/score.txt
    SUITE=seed BASELINE=seed OUT=out "/work/third place/moved/bin/aqbench-ci-gate" | tail -n 1
    "$program" verify out/*/ | tail -n 1'
  du -sh "$root/work/third place/moved" | cut -f 1
  cleanup
  root=
}

make_base() {  # SUITE
  local options=() mirror=http://deb.debian.org/debian script=()
  case $1 in
    jammy | noble)  # Debian has no keyring of Ubuntu's, and knows noble by an older name of the same steps
      options=(--components=main,universe --no-check-gpg) mirror=http://archive.ubuntu.com/ubuntu script=(gutsy) ;;
  esac
  rm -rf "$cache-$1.new"
  debootstrap --variant=minbase --include=python3-venv,python3-numpy "${options[@]}" "$1" "$cache-$1.new" "$mirror" \
    "${script[@]}" >"$cache-$1.log" 2>&1 || { tail -n 5 "$cache-$1.log" >&2; exit 1; }
  mv "$cache-$1.new" "$cache-$1"
}

for suite in ${SUITES:-bookworm trixie jammy noble}; do
  if [ ! -d "$cache-$suite" ]; then
    say "$suite is made"
    make_base "$suite"
  fi
  try "$suite"
done
printf '\nall good\n'
