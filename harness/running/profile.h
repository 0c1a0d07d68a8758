#pragma once
// Runs one case again and again to say where its time and memory go, in the child process that was forked for
// it:
//   once cold, with the resident peak per stage
//   pairs of a plain and a profiled run, in turn first: the stage table, and what profiling itself costs
//   once with a trace, where asked
//   as often as CPU samples need it, with the sampler
// so that no measurement disturbs another.

#include <cstdint>
#include <string>
#include <vector>

#include "harness/records/case.h"
#include "harness/running/case_board.h"
#include "harness/running/run_case.h"

namespace aqbench {

enum class SamplerChoice { automatic, perf, in_process, none };

struct ProfileOptions {
  int repetitions = 3;     // of the plain and the profiled run
  bool plain_runs = true;  // false: no comparison with unprofiled runs, which halves the time
  bool trace = false;
  SamplerChoice sampler = SamplerChoice::automatic;
  double samples_per_s = 500;  // of CPU time; the kernel's tick may allow fewer
};
// Throws Error(usage) naming the flag.
void check(const ProfileOptions& options);

// What a profile says beside its record.
struct ProfileDetails {
  std::vector<double> profiled_ms, plain_ms;  // of the whole run, per repetition
  std::size_t shown = 0;     // the profiled run with the median time: the stage table is its numbers
  std::string sampler;       // "perf", "in-process", "none"
  std::string sampler_note;  // why not the other; may be empty
  std::uint64_t lost_samples = 0, trace_events_left_out = 0;
  std::string device_time_note;  // why there is no device time

  double total_ms() const { return profiled_ms.at(shown); }
};
// Median over the pairs of profiled / plain time: 1.02 = 2 % slower while profiled. Pairs ran back to back,
// so a machine that becomes slower during the profile does not count. Negative where there were no plain
// runs.
double overhead_ratio(const ProfileDetails& details);

Json to_json(const ProfileDetails& details);
ProfileDetails profile_details_from_json(const Json& json, const std::string& source);

// Files of a profile in the bundle: profile/<case>/NAME.
inline constexpr const char* kProfileDetailsFile = "profile.json";
inline constexpr const char* kProfileTraceFile = "trace.json";
inline constexpr const char* kProfileStacksFile = "stacks.folded";
inline constexpr const char* kFlamegraphFile = "flamegraph.svg";
std::string profile_file(const std::string& case_name, const char* file);

// The record has stages with one sample per profiled run, timing (cold, and the plain runs as warm) and the
// metrics profile_overhead_ratio and unattributed_pct. Never throws for what a method does.
CaseResult run_profile(const Case& planned, const ProfileOptions& options, CaseBoard& board);

}  // namespace aqbench
