#pragma once
// Times repeated calls. Google Benchmark drives them: one iteration x repetitions with manual time, so that
// every sample is kept. For the child process of a case.

#include <functional>
#include <string>

#include "harness/records/record.h"
#include "harness/records/timing_plan.h"

namespace aqbench {

struct TimedCall {
  std::function<void()> run;                   // timed
  std::function<std::string()> output_sha256;  // of what it gave; not timed
  std::function<void()> after = {};            // each repetition, not timed; may be empty
};

// Warms up and takes samples as the plan says: warm_ms, cpu_ms, blocks, stopped, precision and note of
// `timing`. Throws Error(method) "invalid: ..." if a repetition's output is not `expected_sha256`, and what
// `run` throws.
void time_warm_runs(const TimingPlan& plan, const TimedCall& call, const std::string& expected_sha256,
                    int threads, Timing& timing);

// Says in `note` what speaks against the samples: others in the way, a precision that was not reached. Also
// sets `precision`. For a plan that is done; blocks of several processes together.
void judge_timing(const TimingPlan& plan, Timing& timing);

// Median of the warm runs, else the cold run.
std::optional<double> typical_ms(const Timing& timing);

}  // namespace aqbench
