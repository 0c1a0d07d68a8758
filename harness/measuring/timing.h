#pragma once
// Times repeated calls. Google Benchmark drives them: one iteration x repetitions with manual time, so that
// every sample is kept. For the child process of a case.

#include <functional>
#include <string>

#include "harness/records/record.h"
#include "harness/records/timing_plan.h"

namespace aqbench {

// What is timed, and what is done around it.
struct TimedCall {
  std::function<void()> run;                   // timed
  std::function<std::string()> output_sha256;  // of the output of the last run; not timed
  std::function<void()> after = {};            // after each repetition, not timed; may be empty
};

// Warms up and takes samples as the plan says. Fills warm_ms, cpu_ms, blocks, stopped, precision and note of
// `timing`. Throws InvalidOutput if a repetition's output is not `expected_sha256`, and what `run` throws.
void time_warm_runs(const TimingPlan& plan, const TimedCall& call, const std::string& expected_sha256,
                    int threads, Timing& timing);

// Sets `precision`, and says in `note` why the samples may be wrong: other programs disturbed them, a
// precision was not reached. Call it when all samples are there, of several processes together.
void judge_timing(const TimingPlan& plan, Timing& timing);

// Returns the median of the warm runs, or without these the cold run.
std::optional<double> typical_ms(const Timing& timing);

}  // namespace aqbench
