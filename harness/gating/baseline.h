#pragma once
// Accepted values of a suite: baselines/*.json. Only `aqbench accept` writes them (harness/gating/accept.h).

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/files.h"
#include "core/json.h"
#include "core/members.h"
#include "harness/records/record.h"
#include "harness/records/results.h"
#include "metrics/metric.h"

namespace aqbench {

// Times stored on request (aqbench accept --stored-times) show a trend but prove nothing: machines drift, and
// `aqbench ab` measures both sides in pairs. They are compared only on request, and on the same kind of
// machine and build.

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
  std::optional<double> cpu_median_ms = {};  // where known
  bool better_by_cpu = false;                // as is_better_by_cpu() says

  template <class Row>
  static void members(const Row& row) {
    row("median_ms", &StoredTime::median_ms);
    row("throughput", &StoredTime::throughput, kLeftOut);
    row("throughput_unit", &StoredTime::throughput_unit, kLeftOut);
    row("cpu_median_ms", &StoredTime::cpu_median_ms, kLeftOut);
    row("better_by_cpu", &StoredTime::better_by_cpu, kLeftOut);
  }

  // Checks that times are above 0, and that a throughput has a unit.
  void after_reading(const JsonPlace& place) const;
};

// The times of a run, and the properties of machine and build that must match for a comparison.
struct StoredTimes {
  JsonBox comparability;
  std::vector<StoredTime> cases;  // as in the results

  template <class Row>
  static void members(const Row& row) {
    row("comparability", &StoredTimes::comparability);
    row("cases", &StoredTimes::cases);
  }

  // Refuses times without cases.
  void after_reading(const JsonPlace& place) const;
};

// Returns the times of the cases that are ok and have enough warm runs. Throws Error(input) if there are
// none, or if the environment lacks the comparability (a file of another tool).
StoredTimes stored_times_of(const Results& results);

// Returns the medians of wall and CPU time of the record's warm runs; nullopt if there are too few, or no CPU
// times.
std::optional<double> median_warm_ms(const Record& record);
std::optional<double> median_cpu_ms(const Record& record);

// Returns "cpu_model is "B", the baseline's "A"" for each difference in comparability.
std::vector<std::string> comparability_differences(const StoredTimes& stored, const Results& results);

// The version of the file, which goes up when its fields change.
inline constexpr int kBaselineSchemaVersion = 1;

// How much worse a value may be and still pass; exactly this much passes. A relative tolerance is a share of
// |baseline value|, an absolute one is in the metric's unit.
struct Tolerance {
  enum class Kind { relative, absolute };
  Kind kind = Kind::relative;
  double value = 0;            // >= 0
  int learned_from_seeds = 0;  // number of seeds from which `accept` learned it; 0: it was given
  bool named = false;          // `accept --tolerance` named its metric, which is then always gated

  bool operator==(const Tolerance&) const = default;
};
// Returns "5 %" or "0.1".
std::string to_string(const Tolerance& tolerance);

// The maximum length of the name of the person who accepts values, in bytes.
inline constexpr std::size_t kMaxAcceptedBytes = 200;

// One accepted value.
struct BaselineMetric {
  double value = 0;
  Better better = Better::lower;
  Tolerance tolerance;

  template <class Row>
  static void members(const Row& row) {
    row("value", &BaselineMetric::value);
    row("better", &BaselineMetric::better);
    row("tolerance", &BaselineMetric::tolerance);
  }
};

// The accepted values of one case.
struct BaselineCase {
  std::string name;
  NamedValues options;  // as in Record
  std::vector<std::pair<InternedText, BaselineMetric>> metrics;

  template <class Row>
  static void members(const Row& row) {
    row("options", &BaselineCase::options);
    row("metrics", &BaselineCase::metrics);
  }
};

// The accepted values of a suite and their bundle.
struct Baseline {
  std::string suite;
  std::string accepted_bundle;          // its stamp
  std::string accepted_results_sha256;  // of that bundle's results.json
  std::string accepted_root_digest;     // of its records; the same if the bundle is finalised again; "" in
                                        // files without it
  std::string accepted_commit;          // "" if the program was built outside git
  std::vector<BaselineCase> cases;      // sorted by name, unique
  std::optional<StoredTimes> stored_times = {};     // none unless requested
  std::string accepted_by = {}, accepted_utc = {};  // who accepted it and when; "" in files without it
  std::string accepted_repository = {};  // commit of the user's programs (users_commit()); "" without any

  template <class Row>
  static void members(const Row& row) {  // all but the version
    row("suite", &Baseline::suite);
    row.group("accepted_from", 0, "", [](const auto& inside) {
      inside("bundle", &Baseline::accepted_bundle);
      inside("results_sha256", &Baseline::accepted_results_sha256, kSha256);
      inside("root_digest", &Baseline::accepted_root_digest, kLeftOut | kSha256);
      inside("commit", &Baseline::accepted_commit);
      inside("by", &Baseline::accepted_by, kLeftOut);
      inside("utc", &Baseline::accepted_utc, kLeftOut);
      inside("repository", &Baseline::accepted_repository, kLeftOut);
    });
    row("cases", &Baseline::cases);
    row("stored_times", &Baseline::stored_times, kLeftOut);
  }
};

// Return the case, or the metric, of this name; nullptr if there is none.
const BaselineCase* find_case(const Baseline& baseline, const std::string& name);
const BaselineMetric* find_metric(const BaselineCase& baseline_case, std::string_view name);

// Returns the baseline as JSON.
Json to_json(const Baseline& baseline);
// Returns the text of the file, with a line for each option and metric.
std::string baseline_text(const Baseline& baseline);
// Passes the same text to `write` case by case, without holding all of it in memory.
void write_baseline_text(const Baseline& baseline, const WriteBytes& write);

// Read a baseline. Throw Error(input) "SOURCE: cases.CASE.metrics.accuracy_mean_mm.tolerance: ...", and
// Error(not_comparable) for another schema version.
Baseline baseline_from_json(const Json& json, const std::string& source);
Baseline read_baseline(const std::filesystem::path& path);

}  // namespace aqbench
