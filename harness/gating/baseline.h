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
#include "harness/gating/stored_times.h"
#include "harness/records/named_values.h"
#include "metrics/metric.h"

namespace aqbench {

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
};

// The accepted values of one case.
struct BaselineCase {
  std::string name;
  NamedValues options;  // as in Record
  std::vector<std::pair<InternedText, BaselineMetric>> metrics;
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
