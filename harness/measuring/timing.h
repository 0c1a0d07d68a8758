#pragma once
// Times repeated calls with Google Benchmark, one iteration x repetitions with manual time, so that every
// sample is kept. Runs in the child process of a case.

#include <functional>
#include <string>

#include "harness/records/case.h"
#include "harness/records/record.h"

namespace aqbench {

// The timed call, and what is done around it.
struct TimedCall {
  std::function<void()> run;                   // timed
  std::function<std::string()> output_sha256;  // of the last run's output; not timed
  std::function<void()> after = {};            // after each repetition, not timed; may be empty
};

// Warms up and takes samples according to the plan. Fills warm_ms, cpu_ms, blocks, stopped, precision and
// note of `timing`. Throws InvalidOutput if a repetition's output is not `expected_sha256`, and the
// exceptions of `run`.
void time_warm_runs(const TimingPlan& plan, const TimedCall& call, const std::string& expected_sha256,
                    int threads, Timing& timing);

// Sets `precision`, and `note` if the samples may be wrong: other programs disturbed them, or a precision was
// not reached. Call it once all samples are there, also those of other processes.
void judge_timing(const TimingPlan& plan, Timing& timing);

// Returns the median of the warm runs or, without any, the cold run.
std::optional<double> typical_ms(const Timing& timing);

}  // namespace aqbench
