#!/usr/bin/env bash
# Installs aqbench in a job of a CI and puts it on the PATH of later steps ($GITHUB_PATH, if set). Prints the folder of
# the program. A wheel needs python3 with venv, the portable folder needs zstd; neither needs root.
#   scripts/ci_install.sh FILE-OR-ADDRESS [SHA256]     aqbench-*.whl or aqbench-*.tar.zst
# Nothing is done if FILE is empty and aqbench is on the PATH.
set -euo pipefail
from=${1:-} wanted=${2:-}
fail() {
  [ -z "${GITHUB_ACTIONS:-}" ] || echo "::error title=aqbench::$*"
  echo "ci_install: $*" >&2
  exit 1
}

if [ -z "$from" ]; then
  found=$(command -v aqbench) || fail "aqbench is not installed: give the wheel, a file or an address"
  dirname "$found"
  exit 0
fi
place=${RUNNER_TEMP:-${TMPDIR:-/tmp}}/aqbench-installed
rm -rf "$place"
mkdir -p "$place"
file=$from
case $from in
  http://* | https://*)
    file=$place/$(basename "${from%%\?*}")
    curl -fsSL --retry 3 -o "$file" "$from" || fail "$from cannot be fetched"
    ;;
esac
[ -f "$file" ] || fail "$file: no such file"
if [ -n "$wanted" ]; then
  echo "$wanted  $file" | sha256sum --check --quiet || fail "$from has another SHA-256 than $wanted"
fi
case $file in
  *.whl)
    python3 -m venv "$place/venv" || fail "python3 has no venv (python3-venv on Debian and Ubuntu)"
    "$place/venv/bin/pip" install --quiet --no-index --no-deps "$file"
    mkdir "$place/bin"
    ln -s "$place/venv/bin/aqbench" "$place/venv/bin/aqbench-ci-gate" "$place/bin/"
    ;;
  *.tar.zst)
    tar -C "$place" --strip-components=1 --zstd -xf "$file" || fail "$file cannot be unpacked"
    ;;
  *) fail "$file: must be aqbench-*.whl or aqbench-*.tar.zst" ;;
esac
"$place/bin/aqbench" --version >&2
[ -z "${GITHUB_PATH:-}" ] || echo "$place/bin" >>"$GITHUB_PATH"
echo "$place/bin"
