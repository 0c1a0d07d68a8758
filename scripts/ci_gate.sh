#!/usr/bin/env bash
# Sweeps a suite and gates it, for action.yml and any other CI; packages and the wheel install it as aqbench-ci-gate.
# Variables: SUITE (a name or NAME.json), BASELINE (a file or the name of an installed one; empty: the gate of the
# project's aqbench.json, where there is one; none: no gate), PROJECT (additional arguments, split like in a shell),
# OUT, AQBENCH (the program; default: the one beside this script, then the one on the PATH). Writes the bundle's folder
# to $GITHUB_OUTPUT and its summary to $GITHUB_STEP_SUMMARY if set, and an ::error for GitHub where nothing could be
# gated. Exits with the gate's code.
set -uo pipefail

beside=$(dirname "$0")/aqbench
[ -x "$beside" ] || beside=aqbench
aqbench=${AQBENCH:-$beside}
out=${OUT:-aqbench-out}
suite=${SUITE:-seed}
mkdir -p "$out"

# A line for GitHub, whose message may hold no line breaks.
tell() {  # KIND MESSAGE
  local text=${2//'%'/%25}
  text=${text//$'\n'/%0A}
  [ -z "${GITHUB_ACTIONS:-}" ] || printf '::%s title=aqbench::%s\n' "$1" "$text"
}

# The project file, as the program looks for it: here and above.
folder=$PWD
while [ ! -e "$folder/aqbench.json" ] && [ "$folder" != / ]; do folder=$(dirname "$folder"); done
project=
[ ! -e "$folder/aqbench.json" ] || project=$folder/aqbench.json

arguments=(sweep --out "$out")
case $suite in
  *.json) arguments+=(--suite-file "$suite") ;;
  *) arguments+=(--suite "$suite") ;;
esac
gate=(--gate --junit "$out/junit.xml")
[ -z "${GITHUB_STEP_SUMMARY:-}" ] || gate+=(--github)
case ${BASELINE:-} in
  none) tell notice "$suite: not gated, as asked" ;;
  '') if [ -n "$project" ]; then arguments+=("${gate[@]}"); else tell notice "$suite: no baseline, nothing is gated"; fi ;;
  *) arguments+=("${gate[@]}" --baseline "$BASELINE") ;;
esac
if [ -n "${PROJECT:-}" ]; then
  mapfile -t words < <(xargs -n 1 printf '%s\n' <<<"$PROJECT")
  arguments+=("${words[@]}")
fi

# In a container the checkout often belongs to another user: the program wants the project's file by name, and git would
# hide the commit. The caller trusts the checkout, which is what is being tested. These variables change no file.
[ -z "$project" ] || [ -O "$project" ] || arguments+=(--project "$project")
if command -v git >/dev/null && [[ $(git rev-parse HEAD 2>&1) == *'dubious ownership'* ]]; then
  count=${GIT_CONFIG_COUNT:-0}
  export GIT_CONFIG_COUNT=$((count + 1)) "GIT_CONFIG_KEY_$count=safe.directory" "GIT_CONFIG_VALUE_$count=*"
fi

before=$(find "$out" -mindepth 2 -maxdepth 2 -name results.json 2>/dev/null | sort)
said=$(mktemp)
trap 'rm -f "$said"' EXIT
exec 3>&1
"$aqbench" "${arguments[@]}" 2>&1 1>&3 | tee "$said" >&2
code=${PIPESTATUS[0]}
after=$(find "$out" -mindepth 2 -maxdepth 2 -name results.json | sort)
bundle=$(comm -13 <(printf '%s\n' "$before") <(printf '%s\n' "$after") | tail -n 1)
bundle=${bundle%/results.json}
if [ -n "$bundle" ]; then
  [ -n "${GITHUB_OUTPUT:-}" ] && echo "bundle=$bundle" >>"$GITHUB_OUTPUT"
  [ -n "${GITHUB_STEP_SUMMARY:-}" ] && cat "$bundle/summary.md" >>"$GITHUB_STEP_SUMMARY"
fi
if [ "$code" -ne 0 ] && { [ -z "$bundle" ] || [ "$code" -ne 1 ]; }; then  # --github names what is worse
  line=$(grep -E '^aqbench: error: ' "$said" | tail -n 1)
  tell error "${line:-$suite ended with exit code $code}"
fi
exit "$code"
