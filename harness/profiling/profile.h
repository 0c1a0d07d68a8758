#pragma once
// Runs one case repeatedly to measure where its time and memory go, in the child process forked for it:
//   once cold, with the resident peak per stage
//   alternating plain and profiled runs: the stage table, and the overhead of profiling
//   once with a trace, on request
//   as often as CPU samples need it, with the sampler
// so that no measurement disturbs another.

#include "harness/records/case.h"
#include "harness/records/case_result.h"
#include "harness/running/case_process.h"

namespace aqbench {

// The sampler of hot functions. automatic: perf if it can see whole stacks, else in_process; for an external
// program perf, or none if perf may not sample.
enum class SamplerChoice { automatic, perf, in_process, none };

// Options of `aqbench profile`.
struct ProfileOptions {
  int repetitions = 3;     // of the plain and the profiled run
  bool plain_runs = true;  // false: no comparison with unprofiled runs, which halves the time
  bool trace = false;
  SamplerChoice sampler = SamplerChoice::automatic;
  double samples_per_s = 500;  // of CPU time; the kernel's tick may allow fewer
};

// Throws Error(usage) naming the flag of a number out of range.
void check(const ProfileOptions& options);

// Profiles a case. Its record has stages with one sample per profiled run, timing (cold, and the plain runs
// as warm) and the metrics profile_overhead_ratio and unattributed_pct; the artefacts are the files of
// harness/records/profile_details.h. Never throws for errors of a method.
CaseResult run_profile(const Case& planned, const ProfileOptions& options, CaseBoard& board);

}  // namespace aqbench
