// The cost of a StageScope: without an observer, and with a StageRecorder in the detail of a profile. The
// limits are 40 ns and 1 us a scope.

#include <benchmark/benchmark.h>

#include <chrono>

#include "core/stage_scope.h"
#include "harness/measuring/stage_recorder.h"

namespace aqbench {
namespace {

using Clock = std::chrono::steady_clock;

void wait_until(Clock::time_point end) {
  while (Clock::now() < end) {
  }
}

void inactive(benchmark::State& state) {
  for (auto _ : state) {
    const StageScope scope("depth_estimation");
    benchmark::ClobberMemory();
  }
}
BENCHMARK(inactive);

void active(benchmark::State& state, const StageRecorderOptions& options) {
  StageRecorder recorder(options);
  const ScopedObserver observe(recorder);
  const StageScope outer("pipeline");
  for (auto _ : state) {
    const StageScope scope("depth_estimation");
    benchmark::ClobberMemory();
  }
}
BENCHMARK_CAPTURE(active, wall, StageRecorderOptions{});
BENCHMARK_CAPTURE(active, wall_cpu_memory, StageRecorderOptions{.cpu_time = true, .tensor_memory = true});

// Realistic scopes: with work inside that outlasts the reuse of a CPU clock's reading. Counts only the cost
// of the scope beyond the work.
void active_around_work(benchmark::State& state) {
  StageRecorder recorder({.cpu_time = true, .tensor_memory = true});
  const ScopedObserver observe(recorder);
  const StageScope outer("pipeline");
  constexpr auto work = std::chrono::microseconds(10);
  for (auto _ : state) {
    const auto start = Clock::now();
    Clock::time_point inside, outside;
    {
      const StageScope scope("depth_estimation");
      inside = Clock::now();
      wait_until(inside + work);
      outside = Clock::now();
    }
    const auto end = Clock::now();
    state.SetIterationTime(std::chrono::duration<double>((inside - start) + (end - outside)).count());
  }
}
BENCHMARK(active_around_work)->UseManualTime();

}  // namespace
}  // namespace aqbench

BENCHMARK_MAIN();
