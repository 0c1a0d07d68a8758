#pragma once
// Runs one case again and again to say where its time and memory go, in the child process that was forked for
// it:
//   once cold, with the resident peak per stage
//   pairs of a plain and a profiled run, in turn first: the stage table, and what profiling itself costs
//   once with a trace, where asked
//   as often as CPU samples need it, with the sampler
// so that no measurement disturbs another.

#include "harness/records/case.h"
#include "harness/records/case_result.h"
#include "harness/running/case_board.h"

namespace aqbench {

// Which sampler looks for hot functions. automatic: perf where it can see whole stacks, else in_process; for
// somebody else's program perf, or none where perf may not sample.
enum class SamplerChoice { automatic, perf, in_process, none };

// What `aqbench profile` was asked for.
struct ProfileOptions {
  int repetitions = 3;     // of the plain and the profiled run
  bool plain_runs = true;  // false: no comparison with unprofiled runs, which halves the time
  bool trace = false;
  SamplerChoice sampler = SamplerChoice::automatic;
  double samples_per_s = 500;  // of CPU time; the kernel's tick may allow fewer
};

// Throws Error(usage) naming the flag for a number out of range.
void check(const ProfileOptions& options);

// Profiles a case. Its record has stages with one sample for each profiled run, timing (cold, and the plain
// runs as warm) and the metrics profile_overhead_ratio and unattributed_pct; the artefacts are the files of
// harness/records/profile_details.h. Never throws for what a method does.
CaseResult run_profile(const Case& planned, const ProfileOptions& options, CaseBoard& board);

}  // namespace aqbench
