#!/usr/bin/env bash
# Profiles with the `profiling` build (optimised, symbols, frame pointers). Writes only to build/profiling and
# profiles/.
#   profile.sh run ARGUMENTS...     aqbench profile ARGUMENTS
#   profile.sh micro [NAME]...      benchmarks/NAME_benchmark.cc under perf (default: plane_sweep stage_scope)
#   profile.sh clean                removes these artefacts
set -euo pipefail
cd "$(dirname "$0")/.."
build=build/profiling out=profiles jobs=${JOBS:-$(nproc)}

build() {
  scripts/install-deps.sh
  mkdir -p build
  if [ ! -f $build/build.ninja ]; then
    cmake --preset profiling -DCMAKE_UNITY_BUILD=ON -DAQBENCH_BUILD_TESTS=OFF >build/profiling.log 2>&1 || {
      cat build/profiling.log >&2
      exit 1
    }
  fi
  cmake --build $build --parallel "$jobs" --target "$@"
}

# perf if it may sample; otherwise empty, with a line that gives the reason and the remedy.
perf_or_reason() {
  local reason
  if ! command -v perf >/dev/null; then
    echo "profile: perf is not installed (apt-get install linux-perf); times without hot functions" >&2
  elif reason=$(perf record -q -e cpu-clock -o /dev/null -- true 2>&1); then
    echo perf
  else
    echo "profile: perf may not sample here (kernel.perf_event_paranoid is" \
      "$(cat /proc/sys/kernel/perf_event_paranoid 2>/dev/null || echo '?')," \
      "needs at most 1 or root: sysctl kernel.perf_event_paranoid=1); times without hot functions" >&2
    echo "profile: perf said: $(printf '%s' "$reason" | head -n 1)" >&2
  fi
}

micro() {
  [ $# -gt 0 ] || set -- plane_sweep stage_scope
  build "${@/%/_benchmark}"
  local perf folder
  perf=$(perf_or_reason)
  for name in "$@"; do
    folder=$out/micro-$name
    mkdir -p "$folder"
    if [ -n "$perf" ]; then
      perf record -q -e cpu-clock -F 499 -g -o "$folder/perf.data" -- \
        $build/"${name}"_benchmark ${MICRO_ARGS:-} | tee "$folder/times.txt"
      perf report -i "$folder/perf.data" --stdio --no-children -g none --percent-limit 1 2>/dev/null |
        grep -v '^#' | grep . >"$folder/hot.txt" || true
      echo "hot functions of ${name}_benchmark ($folder/hot.txt):"
      head -n 15 "$folder/hot.txt"
    else
      $build/"${name}"_benchmark ${MICRO_ARGS:-} | tee "$folder/times.txt"
    fi
  done
}

command=${1:-}
[ $# -gt 0 ] && shift
case $command in
run)
  build aqbench
  $build/aqbench profile --out $out "$@"
  ;;
micro) micro "$@" ;;
clean)
  # Bundles are named by a UTC stamp; other files in the folder stay.
  shopt -s nullglob
  rm -rf $build build/profiling.log $out/[0-9]*T[0-9]*Z* $out/micro-*
  rmdir $out 2>/dev/null || true
  ;;
*)
  sed -n '2,6s/^# \?//p' "$0" >&2
  exit 2
  ;;
esac
