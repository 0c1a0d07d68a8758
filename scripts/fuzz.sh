#!/usr/bin/env bash
# Runs every fuzz target for SECONDS each and prints a table; exit 1 if one crashed (docs/robustness.md).
#   scripts/fuzz.sh PROGRAM SECONDS [TARGET...]
# The fuzzer's findings stay in fuzz_corpus/ and fuzz_crashes/ beside the program and are used by later runs.
set -uo pipefail

program=$1 seconds=$2
shift 2
folder=$(dirname "$program")
committed=$(dirname "$0")/../tests/fuzz/corpus
# A target writes its input to a file before it reads it: three to five times as many runs where that is memory.
[ -n "${TMPDIR:-}" ] || [ ! -w /dev/shm ] || export TMPDIR=/dev/shm
targets=("$@")
[ ${#targets[@]} -gt 0 ] || mapfile -t targets < <("$program" list)

echo "| target | runs | seconds | crashes |"
echo "| --- | ---: | ---: | ---: |"
failed=0
for target in "${targets[@]}"; do
  found=$folder/fuzz_corpus/$target crashes=$folder/fuzz_crashes/$target log=$folder/fuzz_crashes/$target.log
  mkdir -p "$found" "$crashes"
  before=$(find "$crashes" -type f | wc -l)
  start=$(date +%s)
  # A crash ends libFuzzer: it goes on with what is left of the time.
  while left=$((seconds - $(date +%s) + start)) && [ "$left" -gt 0 ]; do
    "$program" "$target" -max_total_time="$left" -print_final_stats=1 -max_len=65536 -timeout=30 -rss_limit_mb=4096 \
      -verbosity=0 -close_fd_mask=1 -artifact_prefix="$crashes/" "$found" "$committed/$target" >>"$log" 2>&1 && break
  done
  runs=$(awk '/stat::number_of_executed_units/ {sum += $2} END {printf "%d", sum}' "$log")
  count=$(($(find "$crashes" -type f | wc -l) - before))
  echo "| $target | $runs | $(($(date +%s) - start)) | $count |"
  [ "$count" -eq 0 ] || failed=1
done
exit $failed
