#!/usr/bin/env bash
# Sweeps a suite and gates it, for action.yml and any other CI. Variables: SUITE (a name or NAME.json), BASELINE (empty:
# no gate), PROJECT (additional arguments, split like in a shell), OUT, AQBENCH (the program). Writes the bundle's
# folder to $GITHUB_OUTPUT and its summary to $GITHUB_STEP_SUMMARY if set.
set -uo pipefail

aqbench=${AQBENCH:-aqbench}
out=${OUT:-aqbench-out}
arguments=(sweep --out "$out")
case ${SUITE:-seed} in
  *.json) arguments+=(--suite-file "$SUITE") ;;
  *) arguments+=(--suite "${SUITE:-seed}") ;;
esac
if [ -n "${BASELINE:-}" ]; then
  mkdir -p "$out"
  arguments+=(--baseline "$BASELINE" --gate --junit "$out/junit.xml")
  [ -n "${GITHUB_STEP_SUMMARY:-}" ] && arguments+=(--github)
fi
if [ -n "${PROJECT:-}" ]; then
  mapfile -t words < <(xargs -n 1 printf '%s\n' <<<"$PROJECT")
  arguments+=("${words[@]}")
fi

"$aqbench" "${arguments[@]}"
code=$?
bundle=$(find "$out" -mindepth 2 -maxdepth 2 -name results.json -printf '%h\n' 2>/dev/null | sort | tail -n 1)
if [ -n "$bundle" ]; then
  [ -n "${GITHUB_OUTPUT:-}" ] && echo "bundle=$bundle" >>"$GITHUB_OUTPUT"
  [ -n "${GITHUB_STEP_SUMMARY:-}" ] && cat "$bundle/summary.md" >>"$GITHUB_STEP_SUMMARY"
fi
exit "$code"
