#!/usr/bin/env bash
# Builds packaging/Containerfile by buildah on a bare Debian 12 made by debootstrap, instead of an image from elsewhere,
# and scores, renders and gates in it. Needs root and the Debian packages of `make packages`. The Apptainer definition
# has the same commands; Debian 12 has no apptainer, so it is untried.
#   scripts/try_container.sh [PACKAGES]     default: build/release/packages
set -euo pipefail
sources=$(cd "$(dirname "$0")/.." && pwd)
packages=$(realpath "${1:-$sources/build/release/packages}")
cache=${CACHE:-${TMPDIR:-/tmp}/aqbench-bare}-bookworm
for tool in debootstrap buildah; do
  command -v "$tool" >/dev/null || { echo "try_container: needs $tool (apt-get install $tool)" >&2; exit 2; }
done
[ -d "$cache" ] || { debootstrap --variant=minbase --include=python3-venv,python3-numpy bookworm "$cache.new"; mv "$cache.new" "$cache"; }
work=$(mktemp -d "${TMPDIR:-/tmp}/aqbench-container-XXXXXX")
builder() { buildah --root "$work/store" --runroot "$work/run" --storage-driver vfs "$@"; }
cleanup() { builder rm --all >/dev/null 2>&1 || true; rm -rf "$work"; }
trap cleanup EXIT
export BUILDAH_ISOLATION=chroot

cp -a "$cache" "$work/base"
cp -r /etc/apt/sources.list.d /etc/apt/apt.conf.d "$work/base/etc/apt/" 2>/dev/null || true
cp /usr/share/keyrings/debian-archive-* "$work/base/usr/share/keyrings/" 2>/dev/null || true
tar -C "$work/base" -cf "$work/base.tar" .
base=$(builder from scratch)
builder add "$base" "$work/base.tar" / >/dev/null
builder commit "$base" base >/dev/null 2>&1
rm -rf "$work/base" "$work/base.tar"
builder bud --build-arg BASE=localhost/base -f "$sources/packaging/Containerfile" -t aqbench "$packages" >"$work/log" 2>&1 ||
  { tail -n 20 "$work/log" >&2; exit 1; }
container=$(builder from --pull-never localhost/aqbench)
inside() { builder run "$container" -- sh -euc "$1"; }
inside 'aqbench --version; command -v aqbench-ci-gate
  awk "BEGIN { for (x = -24; x <= 24; ++x) for (y = -14; y <= 14; ++y) print x / 100, y / 100, 1.178 }" >cloud.xyz
  aqbench eval cloud.xyz --scene flat_plane | head -n 5
  aqbench render undulating --width 160 --out tank | tail -n 1
  SUITE=seed BASELINE=seed OUT=out aqbench-ci-gate | tail -n 1'
echo "all good"
