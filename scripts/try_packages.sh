#!/usr/bin/env bash
# Installs the Debian packages of a folder (default: build/release/packages) into a bare Debian 12 made by debootstrap
# and tries them: scores a cloud, gates a suite, reads depth maps of OpenEXR and TIFF, shows manual pages and
# completion. Needs root. Prints sizes and times; leaves only the cached base system in $CACHE.
#   scripts/try_packages.sh [FOLDER]
set -euo pipefail

packages=$(realpath "${1:-build/release/packages}")
cache=${CACHE:-${TMPDIR:-/tmp}/aqbench-debian12}
mirror=${MIRROR:-$(cat /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null |
  grep -v '^#' | grep -oE 'https?://[^ ]+/debian/?( |$)' | head -n 1 | tr -d ' ' || true)}
mirror=${mirror:-http://deb.debian.org/debian}
for tool in debootstrap lintian; do
  command -v "$tool" >/dev/null || { echo "try_packages: needs $tool (apt-get install $tool)" >&2; exit 2; }
done
[ "$(id -u)" -eq 0 ] || { echo "try_packages: needs root, for chroot" >&2; exit 2; }

say() { printf '\n== %s\n' "$*"; }
timed() {
  local begin end
  begin=$(date +%s.%N)
  "$@"
  end=$(date +%s.%N)
  awk -v a="$begin" -v b="$end" 'BEGIN { printf "(%.1f s)\n", b - a }'
}

say "lintian"
lintian --fail-on error --suppress-tags bad-distribution-in-changes-file --allow-root "$packages"/*.deb

[ -d "$cache" ] || timed debootstrap --variant=minbase bookworm "$cache.new" "$mirror" >"$cache.log" 2>&1
[ -d "$cache" ] || mv "$cache.new" "$cache"
root=$(mktemp -d "$cache.try-XXXXXX")
cleanup() { umount "$root/proc" 2>/dev/null || true; rm -rf "$root"; }
trap cleanup EXIT
cp -a "$cache/." "$root"
mount -t proc proc "$root/proc"
cp /etc/resolv.conf "$root/etc/" 2>/dev/null || true
cp /etc/apt/sources.list "$root/etc/apt/" 2>/dev/null || true
cp -r /etc/apt/sources.list.d /etc/apt/apt.conf.d "$root/etc/apt/" 2>/dev/null || true
mkdir "$root/packages" "$root/depths"
cp "$packages"/*.deb "$root/packages/"
sources=$(cd "$(dirname "$0")/.." && pwd)
cp "$sources"/tests/fuzz/corpus/depth/{plain.exr,float.tif} "$root/depths/"  # the same four depths
inside() { chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
  bash -euc "$1"; }

inside 'apt-get update -q >/dev/null'
say "the evaluator alone"
timed inside 'apt-get install -y -q --no-install-recommends /packages/aqbench_*.deb >/dev/null'
inside '
  dpkg-query -W -f="\${Package} \${Installed-Size} kB\n" aqbench
  test "$(dpkg-query -W -f="\${Installed-Size}" aqbench)" -lt 20000
  ! dpkg-query -W "libtorch*" "libopen3d*" 2>/dev/null
  aqbench --version
  awk "BEGIN { for (x = -24; x <= 24; ++x) for (y = -14; y <= 14; ++y) print x / 100, y / 100, 1.178 + 0.0001 * (x % 3) }" >cloud.xyz
  aqbench eval cloud.xyz --scene flat_plane | head -n 8'
say "a suite, gated on the installed baseline"
timed inside 'aqbench sweep --suite seed --baseline seed --gate --out out | tail -n 5; aqbench verify out/* | tail -n 1'
say "manual and completion"
inside '
  zcat /usr/share/man/man1/aqbench-eval.1.gz | head -n 6
  source /usr/share/bash-completion/completions/aqbench
  COMP_LINE="aqbench eval --scene und" COMP_POINT=24 COMP_WORDS=(aqbench)
  _aqbench
  test "${COMPREPLY[0]}" = undulating && echo "aqbench eval --scene und<tab> is ${COMPREPLY[0]}"'
if ls "$packages"/python3-aqbench_*.deb >/dev/null 2>&1; then
  say "the libraries: C++, Python, pytest"
  mkdir -p "$root/src/scripts" "$root/src/tests" "$root/src/python" "$root/src/docs/bundles"
  cp "$sources/scripts/try_libraries.sh" "$root/src/scripts"
  cp -r "$sources/tests/consumer" "$root/src/tests"
  cp -r "$sources/python/examples" "$root/src/python"
  cp -r "$sources/docs/bundles/seed" "$root/src/docs/bundles"
  timed inside 'apt-get install -y -q --no-install-recommends /packages/python3-aqbench_*.deb /packages/libaqbench-dev_*.deb \
    >/dev/null; dpkg-query -W -f="\${Package} \${Installed-Size} kB\n" python3-aqbench libaqbench-dev'
  inside 'apt-get install -y -q --no-install-recommends g++ cmake make python3-pytest python3-pandas >/dev/null'
  timed inside '/src/scripts/try_libraries.sh --installed /usr'
fi
say "the pipeline"
timed inside 'apt-get install -y -q --no-install-recommends /packages/aqbench-pipeline_*.deb >/dev/null'
timed inside 'aqbench render undulating --width 160 --out tank >/dev/null; aqbench list methods | head -n 3; ls tank'
say "depth maps of OpenEXR and TIFF"
inside '
  aqbench eval /depths/plain.exr --protocol depth --truth /depths/float.tif >depths.txt
  grep -E "^depth +(abs_rel +0|delta_1.03 +1)( |$)" depths.txt
  test "$(grep -cE "^depth +(abs_rel +0|delta_1.03 +1)( |$)" depths.txt)" -eq 2'
say "removed"
inside 'apt-get purge -y -q "aqbench*" "libaqbench*" "python3-aqbench*" >/dev/null 2>&1; rm -rf /src /depths
  ! find /usr /etc -name "*aqbench*" | grep .'
echo "all good"
