#pragma once
// The details of a profile beside its record, and its file names in a bundle.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/json.h"
#include "harness/records/record.h"

namespace aqbench {

// How a profile was taken, and the times of its runs.
struct ProfileDetails {
  std::vector<double> profiled_ms, plain_ms;  // of the whole run, one for each repetition
  std::size_t shown = 0;     // index of the profiled run with the median time, shown in the tables
  std::string sampler;       // "perf", "in-process", "none"
  std::string sampler_note;  // why the other sampler was not used; may be empty
  std::uint64_t lost_samples = 0, trace_events_left_out = 0;
  std::string device_time_note;  // why device time is missing

  double total_ms() const { return profiled_ms.at(shown); }

  template <class Row>
  static void members(const Row& row) {
    row("profiled_ms", &ProfileDetails::profiled_ms);
    row("plain_ms", &ProfileDetails::plain_ms);
    row("shown", &ProfileDetails::shown);
    row("sampler", &ProfileDetails::sampler);
    row("sampler_note", &ProfileDetails::sampler_note);
    row("lost_samples", &ProfileDetails::lost_samples);
    row("trace_events_left_out", &ProfileDetails::trace_events_left_out);
    row("device_time_note", &ProfileDetails::device_time_note);
  }
};

// Returns the median over the pairs of profiled / plain time: 1.02 = 2 % slower while profiled. The runs of a
// pair are adjacent, so a machine that slows down during the profile has no effect. Returns -1 without plain
// runs.
double overhead_ratio(const ProfileDetails& details);

// Returns the index of the run with the median time, of two in the middle the shorter one; of equal ones the
// first. `profiled_ms` is not empty.
std::size_t shown_run(const std::vector<double>& profiled_ms);

// Returns the metrics of a profile: its overhead, and the share of the shown run outside all stages.
MetricSet profile_metrics(const ProfileDetails& details, const std::vector<StageRecord>& stages);

// Returns the content of profile.json.
Json to_json(const ProfileDetails& details);

// Reads what to_json() wrote. Throws Error(input) naming `source` and the place.
ProfileDetails profile_details_from_json(const Json& json, const std::string& source);

// Names of a profile's files, each in the folder of its case.
inline constexpr const char* kProfileDetailsFile = "profile.json";
inline constexpr const char* kProfileTraceFile = "trace.json";
inline constexpr const char* kProfileStacksFile = "stacks.folded";

// Returns the path of such a file in the bundle: "profile/CASE/FILE".
std::string profile_file(const std::string& case_name, const char* file);

// Net and peak tensor memory of a stage, MiB with two decimals.
struct TensorMemoryText {
  std::string net, peak;
};

// Returns both as text; "n/a" if they were not measured or nothing was observed: net and peak of 0 mean that
// the stage used no tensors, which says nothing about its memory.
TensorMemoryText tensor_memory_text(const std::optional<std::int64_t>& net_bytes,
                                    const std::optional<std::int64_t>& peak_bytes);

}  // namespace aqbench
