#!/usr/bin/env bash
# Sweeps a suite and gates it, for action.yml and any other CI; packages and the wheel install it as aqbench-ci-gate.
# Variables: SUITE (a name or NAME.json), BASELINE (a file or the name of an installed one; empty: the gate of the
# project's aqbench.json; none: no gate), PROJECT (additional arguments, split like in a shell), OUT, AQBENCH (the
# program; default: the one beside this script, then the one on the PATH). Writes the bundle's folder to $GITHUB_OUTPUT
# and its summary to $GITHUB_STEP_SUMMARY if set, and an ::error for GitHub where nothing could be gated.
# Exits with the gate's code. Exit 0 needs a new bundle that verifies, of the suite that was asked for, and a gate that
# passes. In a pull request the gate is the one that aqbench.json of the base branch names, with the accepted values of
# the pull request: a change of the file cannot drop the gate.
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
baseline=()
case ${BASELINE:-} in
  none) gate=(); tell notice "$suite: not gated, as asked" ;;
  '') ;;
  *) baseline=(--baseline "$BASELINE") ;;
esac
arguments+=("${gate[@]}" "${baseline[@]}")
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
named=$folder/.aqbench-base-$$.json  # the project file of the base branch; its paths are relative to this folder
trap 'rm -f "$said" "$named"' EXIT
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
if [ "$code" -ne 0 ]; then
  if [ -z "$bundle" ] || [ "$code" -ne 1 ]; then  # --github names what is worse
    line=$(grep -E '^aqbench: error: ' "$said" | tail -n 1)
    tell error "${line:-$suite ended with exit code $code}"
  fi
  exit "$code"
fi

fail() {  # CODE MESSAGE
  tell error "$2"
  printf 'aqbench-ci-gate: error: %s\n' "$2" >&2
  exit "$1"
}

# The text of the first member of this name in a file of JSON.
text_in() {  # NAME FILE
  grep -o "\"$1\"[[:space:]]*:[[:space:]]*\"[^\"]*\"" "$2" | head -n 1 | sed 's/.*:[[:space:]]*"//; s/"$//'
}

# Writes the project file of the branch that a pull request is for to $named; fails without one.
read_base_project() {  # BRANCH
  local commit
  if git -C "$folder" fetch -q --depth 1 origin "$1" 2>/dev/null; then
    commit=$(git -C "$folder" rev-parse -q --verify 'FETCH_HEAD^{commit}')
  else
    commit=$(git -C "$folder" rev-parse -q --verify "refs/remotes/origin/$1^{commit}")
  fi
  [ -n "$commit" ] && git -C "$folder" show "$commit:./aqbench.json" >"$named" 2>/dev/null
}

[ -n "$bundle" ] || fail 2 "$suite: no new bundle in $out: nothing was gated"
"$aqbench" verify "$bundle" >"$said" 2>&1 || { cat "$said" >&2; fail 1 "$bundle: does not verify"; }
asked=$suite
[[ $suite != *.json ]] || asked=$(text_in name "$suite")
ran=$(text_in suite "$bundle/results.json")
[ "$ran" = "$asked" ] || fail 4 "$bundle: is of suite '$ran', not of '$asked'"
[ "${BASELINE:-}" != none ] || exit 0

branch=${GITHUB_BASE_REF:-${CI_MERGE_REQUEST_TARGET_BRANCH_NAME:-}}
if [ -n "${BASELINE:-}" ]; then
  gate=("${baseline[@]}")
elif [ -n "$branch" ]; then
  read_base_project "$branch" ||
    fail 4 "$suite: aqbench.json of the base branch $branch cannot be read, so no gate is named; merge the gate first, or set BASELINE"
  gate=(--project "$named")
else
  gate=(--project "$project")
fi
"$aqbench" gate "$bundle" "${gate[@]}" >"$said" 2>&1
code=$?
if [ "$code" -ne 0 ]; then
  cat "$said" >&2
  line=$(grep -E '^aqbench: error: ' "$said" | tail -n 1)
  fail "$code" "${line:-$suite: the gate ended with exit code $code}"
fi
