#pragma once
// What a comparison of A and B measured: every unit of every pair, in the order in which they ran.

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/json.h"
#include "core/members.h"
#include "harness/records/case_result.h"
#include "harness/records/record.h"

namespace aqbench {

// The most units that all cases of one comparison may have together.
inline constexpr std::size_t kMaxAbUnits = 200000;

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

  template <class Row>
  static void members(const Row& row) {
    row("name", &AbOutcome::name);
    row("kind", &AbOutcome::kind);
    row("unit", &AbOutcome::unit);
    row("better", &AbOutcome::better);
    row("margin", &AbOutcome::margin);
    row("margin_absolute", &AbOutcome::margin_absolute);
  }
};
std::string to_string(AbOutcome::Kind kind);  // "cost", "metric"
constexpr auto json_values(AbOutcome::Kind) {
  return std::array{AbOutcome::Kind::cost, AbOutcome::Kind::metric};
}

// The names of the costs of a run.
inline constexpr const char* kWallOutcome = "wall_ms";
inline constexpr const char* kCpuOutcome = "cpu_ms";
inline constexpr const char* kInstructionsOutcome = "instructions";
inline constexpr const char* kMemoryOutcome = "peak_memory_mib";

// The margin of a metric, a share of A's value, where the user gives none.
inline constexpr double kUsualMargin = 0.05;

// Which time of a unit's warm runs decides, or the number of instructions that stands for it.
enum class DecidingTime { wall, cpu, instructions };
std::string to_string(DecidingTime time);     // "wall", "cpu", "instructions"
std::string time_name(DecidingTime time);     // "wall time", "CPU time", "instructions"
const char* outcome_name(DecidingTime time);  // kWallOutcome, kCpuOutcome, kInstructionsOutcome
std::string unit_of(DecidingTime time);       // "ms", "" of instructions
constexpr auto json_values(DecidingTime) {
  return std::array{DecidingTime::wall, DecidingTime::cpu, DecidingTime::instructions};
}

// One case that is compared.
struct AbCase {
  std::string name;
  std::optional<double> tau;  // the threshold for this case from A/A runs, a share; nullopt: the policy's
  std::optional<AbOutcome> outcome = {};  // set where units hold its values in place of times; in no file
  DecidingTime decided_by = DecidingTime::wall;

  template <class Row>
  static void members(const Row& row) {
    row("case", &AbCase::name);
    row("tau", &AbCase::tau);
    row("decided_by", &AbCase::decided_by, kLeftOut);
  }

  // Checks tau.
  void after_reading(const JsonPlace& place) const;
};

// All that was measured.
struct AbSamples {
  std::uint64_t order_seed = 42;  // of the coins that decide which side of a pair runs first
  std::vector<AbCase> cases;
  std::vector<Record> units;  // two neighbours are a pair; each has a `unit`, the first ones are scored

  template <class Row>
  static void members(const Row& row) {  // the units stand in the records
    row("order_seed", &AbSamples::order_seed);
    row("cases", &AbSamples::cases);
  }
};

// Returns the record of a unit that ended well, without values or with its warm runs; `cpu_ms` and
// `instructions` are empty or as long as `warm_ms`.
Record unit_record();
Record unit_of_times(std::vector<double> warm_ms, std::vector<double> cpu_ms = {},
                     std::vector<double> instructions = {});

// Returns what is compared of a unit: its outcome of this case, else the time of its warm runs that decides;
// nullptr where it has none.
const std::vector<double>* compared_values(const Record& unit, const AbCase& the_case);

// Appends a pair with this number in its case and look, 0 for a confirmation. The seeded coin orders its
// units.
void append_pair(AbSamples& samples, std::size_t case_index, int look, std::size_t pair, Record a, Record b);

// Returns the values of an outcome in a unit, wall and CPU time of its warm runs among them; nullptr if it
// has none.
const std::vector<double>* find_outcome(const Record& unit, const std::string& name);

// Returns the unit of this side whose output was scored, nullptr if there is none: the same bytes have the
// same metrics.
const Record* scored_unit(const AbSamples& samples, std::size_t case_index, AbSide side);

// Returns the units as `aqbench ab --json` prints them.
Json to_json(const AbSamples& samples);

// Returns the file of tiles of a side of a case, relative to the bundle: "tiles/flat_plane.a.csv".
std::string ab_tiles_file(const std::string& case_name, AbSide side);

// Appends the units. Throws Error(input) "records[3]: ..." for a record that is no unit of these cases or
// holds a value out of range.
void add_units(std::vector<Record> records, AbSamples& samples);

// Checks the order of the units. Throws Error(input) "records[3]: ..." for neighbours that are no pair, pairs
// that are not numbered in order, and an order within a pair that is not the seeded coin's.
void check_pairs(const AbSamples& samples);

// Reads a file of `aqbench ab --samples`, which lists the units of each side of each case, pair by pair:
//   {"cases": [{"name": "x", "tau": 0.03, "a": [10.1, 10.2], "b": [10.3, [10.5, 10.4, 10.9]],
//               "confirmation_a": [..], "confirmation_b": [..]}]}
// A unit is a number, or a list of at least 3 warm runs, in any unit of time; tau and the confirmation are
// optional. Throws Error(input) "SOURCE: cases[3].a[0]: ..." for a value that is missing, unknown, of the
// wrong type or out of range.
AbSamples ab_samples_from_lists(const Json& json, const std::string& source);

// Returns B for A and A for B.
AbSide other_side(AbSide side);

// Returns the side that runs first in the pair with this number, counted over all cases and phases.
AbSide first_side(std::uint64_t order_seed, std::size_t pair);

// Leaves of the artefacts of a scored unit its tiles alone, under the name of its side, and names them in its
// record. With `keep` false none is left.
void keep_tiles(const std::string& case_name, AbSide side, bool keep, CaseResult& unit);

// Returns the texts of the tiles that units name, by ab_tiles_file(). A file that is not there or has another
// hash is left out: `aqbench verify` names it. Throws Error(io).
std::map<std::string, std::string> read_ab_tiles(const std::filesystem::path& bundle,
                                                 const AbSamples& samples);

}  // namespace aqbench
