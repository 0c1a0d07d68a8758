#!/usr/bin/env bash
# Installs what aqbench needs to build, test and run on Debian 12. Prints nothing if nothing is missing.
set -euo pipefail

packages=(
  g++ cmake ninja-build ccache make git ca-certificates
  libtorch-dev libopen3d-dev libembree-dev libopenblas0-pthread libopencv-dev libtbb-dev
  libeigen3-dev libboost-program-options-dev nlohmann-json3-dev libfmt-dev libssl-dev libpng-dev libjpeg-dev libtiff-dev libopenexr-dev libvalijson-dev
  ocl-icd-opencl-dev opencl-headers pocl-opencl-icd
  libgtest-dev libgmock-dev libbenchmark-dev libxml2-utils
)
[ "${AQBENCH_LIBRARIES:-0}" = 1 ] && packages+=(python3 python3-numpy python3-pandas python3-pytest curl)
[ "${AQBENCH_WHEEL:-0}" = 1 ] && packages+=(python3-setuptools python3-wheel patchelf zstd)
[ "${AQBENCH_FUZZ:-0}" = 1 ] && packages+=(clang libclang-rt-dev)
[ "${AQBENCH_LINT:-0}" = 1 ] && packages+=(clang-format clang-tidy)

missing=()
for package in "${packages[@]}"; do
  dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] && exit 0

if ! command -v apt-get >/dev/null; then
  echo "install-deps: needs Debian 12 (apt-get); install by hand: ${missing[*]}" >&2
  exit 1
fi
as_root=()
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null || { echo "install-deps: run as root, or install sudo; missing: ${missing[*]}" >&2; exit 1; }
  as_root=(sudo)
fi

log=$(mktemp)
echo "install-deps: installing ${#missing[@]} packages: ${missing[*]}" >&2
if ! { "${as_root[@]}" apt-get update -q &&
       "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
         apt-get install -y -q --no-install-recommends "${missing[@]}"; } >"$log" 2>&1; then
  echo "install-deps: apt-get failed; the end of $log:" >&2
  tail -n 20 "$log" >&2
  exit 1
fi
rm -f "$log"
