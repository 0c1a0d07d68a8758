#pragma once
// What a comparison of A and B measured: every unit of every pair, in the order in which they ran.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/json.h"
#include "harness/records/record.h"

namespace aqbench {

inline constexpr std::size_t kMaxAbUnits = 200000;

enum class AbSide { a, b };
std::string to_string(AbSide side);  // "a"

// Pairs of a planned look at the data, or fresh ones that confirm a flag.
enum class AbPhase { look, confirmation };
std::string to_string(AbPhase phase);

// Warm runs of one stage in one unit, without its nested stages.
struct AbStageSamples {
  std::string name;
  std::vector<double> self_ms;
};

// One unit: a fresh process that ran one case once cold and then warm.
struct AbUnit {
  std::size_t case_index = 0;
  AbPhase phase = AbPhase::look;
  int look = 1;          // the planned look that asked for it, from 1; 0 for a confirmation
  std::size_t pair = 0;  // of this case and phase, from 0
  AbSide side = AbSide::a;
  Status status = Status::ok;
  std::string reason;  // why it is not ok, one line
  std::optional<double> cold_ms;
  std::vector<double> warm_ms;  // a single value where only the unit is known (--samples)
  std::vector<AbStageSamples> stages;
  std::string output_sha256;
};

// The metrics of one side's output, scored once: the same bytes have the same metrics.
struct AbOutput {
  std::size_t case_index = 0;
  AbSide side = AbSide::a;
  std::string output_sha256;
  MetricSet metrics;
};

struct AbCase {
  std::string name;
  std::optional<double> tau;  // this case's own, from A/A runs
};

struct AbSamples {
  std::uint64_t order_seed = 42;  // of the coins that say which side runs first
  std::vector<AbCase> cases;
  std::vector<AbOutput> outputs;
  std::vector<AbUnit> units;  // two neighbours are a pair
};

Json to_json(const AbSamples& samples);
Json to_json(const AbCase& one);
Json to_json(const AbUnit& unit);
Json to_json(const AbOutput& output);

// One unit or output of a comparison of `cases` cases. Throw as below.
AbUnit ab_unit_from_json(const Json& json, std::size_t cases, const std::string& source);
AbOutput ab_output_from_json(const Json& json, std::size_t cases, const std::string& source);

// Throws Error(input) "SOURCE: units[3].warm_ms[0]: ..." for what is missing, unknown, of the wrong type or
// out of range, for two neighbours that are no pair, for pairs that do not count up and for an order within a
// pair that is not the coin's.
AbSamples ab_samples_from_json(const Json& json, const std::string& source);

// A file of `aqbench ab --samples`, one list of units for each side of each case, pair by pair:
//   {"cases": [{"name": "x", "tau": 0.03, "a": [10.1, 10.2], "b": [10.3, [10.5, 10.4, 10.9]],
//               "confirmation_a": [..], "confirmation_b": [..]}]}
// tau and the confirmation are optional. A unit is a number or its warm runs, at least 3, of which the
// shortest counts. Any unit of time, as long as it is the same. Throws as ab_samples_from_json().
AbSamples ab_samples_from_lists(const Json& json, const std::string& source);

// Which side runs first in the `pair`-th pair of the whole comparison.
AbSide first_side(std::uint64_t order_seed, std::size_t pair);

}  // namespace aqbench
