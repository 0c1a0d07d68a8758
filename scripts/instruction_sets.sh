#!/usr/bin/env bash
# Runs suite seed on this processor and on emulated ones (qemu-user), and prints the metrics digests: with AVX2 and
# fused multiply-add but without AVX-512 it must equal this processor's; without them numbers differ in their last
# digits. Emulation does not support isolation: AQBENCH_ISOLATION is off.
#   scripts/instruction_sets.sh [PROGRAM]     default: build/release/aqbench
set -euo pipefail
program=${1:-build/release/aqbench}
command -v qemu-x86_64 >/dev/null || { echo "instruction_sets: needs qemu-x86_64 (apt install qemu-user)" >&2; exit 2; }
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
export AQBENCH_ISOLATION=off

digest() {
  "$@" sweep --suite seed --timeout 3600 --out "$out/$((++runs))" >"$out/log"
  "$program" verify "$out/$runs"/* | sed -n 's/^metrics digest *//p'
}

runs=0
here=$(digest "$program")
echo "this processor     $here"
for cpu in Nehalem max; do  # max: AVX2 and fused multiply-add, without AVX-512
  runs=$((runs + 1))
  there=$(digest qemu-x86_64 -cpu "$cpu" "$program")
  printf '%-18s %s\n' "emulated $cpu" "$there"
done
[ "$there" = "$here" ] || { echo "instruction_sets: metrics with AVX2 differ from this processor's" >&2; exit 1; }
