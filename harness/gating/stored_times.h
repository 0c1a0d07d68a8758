#pragma once
// Times stored in a baseline on request (aqbench accept --stored-times). A stored time shows a trend but
// proves nothing: machines drift, and `aqbench ab` measures both sides in pairs. Compared only on request,
// and on the same kind of machine and build.

#include <optional>
#include <string>
#include <vector>

#include "core/json.h"
#include "harness/records/results.h"

namespace aqbench {

// A median above this factor times the stored one fails, and so does a throughput below (2 - this factor)
// times the stored one.
inline constexpr double kStoredTimeFactor = 1.05;

// Fewer warm runs than this are neither stored nor compared.
inline constexpr std::size_t kLeastStoredRuns = 5;

// The time of one case.
struct StoredTime {
  std::string case_name;
  double median_ms = 0;              // of the warm runs
  std::optional<double> throughput;  // in `throughput_unit`
  std::string throughput_unit;
};

// The times of a run, and the properties of machine and build that must match for a comparison.
struct StoredTimes {
  JsonBox comparability;
  std::vector<StoredTime> cases;  // as in the results
};

// Returns the times of the cases that are ok and have enough warm runs. Throws Error(input) if there are
// none, or if the environment lacks the comparability (a file of another tool).
StoredTimes stored_times_of(const Results& results);

// Returns the median of the record's warm runs; nullopt if there are too few.
std::optional<double> median_warm_ms(const Record& record);

// Returns "cpu_model is "B", the baseline's "A"" for each difference in comparability.
std::vector<std::string> comparability_differences(const StoredTimes& stored, const Results& results);

// Returns {"comparability": {..}, "cases": {CASE: {"median_ms", "throughput", "throughput_unit"}}}.
Json to_json(const StoredTimes& times);

// Reads what to_json() wrote. Throws Error(input) naming the place.
StoredTimes stored_times_from_json(const JsonPlace& place);

}  // namespace aqbench
