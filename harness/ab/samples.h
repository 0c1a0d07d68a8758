#pragma once
// What a comparison of A and B measured: every unit of every pair, in the order in which they ran.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/json.h"
#include "harness/records/record.h"

namespace aqbench {

class JsonPlace;

// The most units that all cases of one comparison may have together.
inline constexpr std::size_t kMaxAbUnits = 200000;

// Why a pair was measured: for a planned look at the data, or to confirm a flag with fresh pairs.
enum class AbPhase { look, confirmation };
// Returns "look" or "confirmation".
std::string to_string(AbPhase phase);

// The times of one stage in the warm runs of one unit, without the time of nested stages.
struct AbStageSamples {
  std::string name;
  std::vector<double> self_ms;
};

// One thing that is judged of a case beside its wall time.
struct AbOutcome {
  enum class Kind {
    cost,    // of a run, like its time: processor time, memory; compared by ratio, as times are
    metric,  // how good the output is; all pairs count, by its direction and its margin
  };
  std::string name;  // "cpu_ms", "accuracy_rmse_mm"
  Kind kind = Kind::cost;
  std::string unit;
  Better better = Better::lower;  // of a metric; `equal` is one that should be near its ideal
  double margin = 0;              // of a metric: a share of A's value, or in its unit
  bool margin_absolute = false;
};

// The margin of a metric, a share of A's value, where the user gives none.
inline constexpr double kUsualMargin = 0.05;

// One unit: a fresh process that ran one case once cold and then warm.
struct AbUnit {
  std::size_t case_index = 0;  // into AbSamples::cases
  AbPhase phase = AbPhase::look;
  int look = 1;          // number of the planned look that asked for it, from 1; 0 in a confirmation
  std::size_t pair = 0;  // number of the pair within its case and phase, from 0
  AbSide side = AbSide::a;
  Status status = Status::ok;
  std::string reason;  // one line that says why the status is not ok
  std::optional<double> cold_ms;
  std::vector<double> warm_ms;  // one value where a file gave the unit's time alone (--samples)
  std::vector<AbStageSamples> stages;
  std::string output_sha256;
  std::vector<OutcomeSamples> outcomes;  // those of AbSettings::outcomes that it has
  std::optional<std::uint64_t> layout;   // the number of the code layout it was drawn (--layouts)
  std::string tiles_sha256 = {};         // of its tiles (harness/ab/tiles.h); "" where it keeps none
  std::string tiles_csv = {};            // the tiles themselves, just after the unit was measured; in no JSON
};

// The metrics of one side's output. Each output is scored once: the same bytes have the same metrics.
struct AbOutput {
  std::size_t case_index = 0;
  AbSide side = AbSide::a;
  std::string output_sha256;
  MetricSet metrics;
};

// One case that is compared.
struct AbCase {
  std::string name;
  std::optional<double> tau;  // the threshold for this case from A/A runs, a share; nullopt: the policy's
  std::optional<AbOutcome> outcome = {};  // set where units hold its values in place of times; in no file
};

// All that was measured.
struct AbSamples {
  std::uint64_t order_seed = 42;  // of the coins that decide which side of a pair runs first
  std::vector<AbCase> cases;
  std::vector<AbOutput> outputs;
  std::vector<AbUnit> units;  // two neighbours are a pair
};

// Returns the units as `aqbench ab --json` prints them.
Json to_json(const AbSamples& samples);

// Returns a case as it is planned: {"case": "x", "tau": null}; reads one. Throws Error(input).
Json to_json(const AbCase& one);
AbCase ab_case_from_json(const JsonPlace& place);

// Returns the file of tiles of a side of a case, relative to the bundle: "tiles/flat_plane.a.csv".
std::string ab_tiles_file(const std::string& case_name, AbSide side);

// Returns the record of a unit. `outputs` are those of its pair.
Record record_of(const AbCase& one, const AbUnit& unit, std::span<const AbOutput> outputs);

// Appends the units of records, and their outputs. Throws Error(input) "records[3]: ..." for a record that is
// no unit of these cases or holds a value out of range.
void add_units(std::span<const Record> records, AbSamples& samples);

// Checks the order of the units. Throws Error(input) "records[3]: ..." for neighbours that are no pair, pairs
// that are not numbered in order, and an order within a pair that is not the seeded coin's.
void check_pairs(const AbSamples& samples);

// Reads a file of `aqbench ab --samples`, which lists the units of each side of each case, pair by pair:
//   {"cases": [{"name": "x", "tau": 0.03, "a": [10.1, 10.2], "b": [10.3, [10.5, 10.4, 10.9]],
//               "confirmation_a": [..], "confirmation_b": [..]}]}
// A unit is a number, or a list of at least 3 warm runs. Any unit of time will
// do if it is the same everywhere. tau and the confirmation are optional. Throws
// Error(input) "SOURCE: cases[3].a[0]: ..." for a value that is missing, unknown, of the wrong type or out of
// range.
AbSamples ab_samples_from_lists(const Json& json, const std::string& source);

// Returns the side that runs first in the pair with this number, counted over all cases and phases.
AbSide first_side(std::uint64_t order_seed, std::size_t pair);

}  // namespace aqbench
