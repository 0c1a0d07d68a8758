#pragma once
// Accepted values of a suite: baselines/*.json. Written by `aqbench accept` alone (harness/gating/accept.h).

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "core/json.h"
#include "core/parameters.h"
#include "metrics/metric.h"

namespace aqbench {

inline constexpr int kBaselineSchemaVersion = 1;

// How much worse is still the same, inclusive. Relative: a share of |baseline value|; absolute: in the
// metric's unit.
struct Tolerance {
  enum class Kind { relative, absolute };
  Kind kind = Kind::relative;
  double value = 0;  // >= 0

  bool operator==(const Tolerance&) const = default;
};
std::string to_string(const Tolerance& tolerance);  // "5 %" or "0.1"

struct BaselineMetric {
  double value = 0;
  Better better = Better::lower;
  Tolerance tolerance;
};

struct BaselineCase {
  std::string name;
  std::vector<std::pair<std::string, ParameterValue>> options;  // as in Record
  std::vector<std::pair<std::string, BaselineMetric>> metrics;
};

struct Baseline {
  std::string suite;
  std::string accepted_bundle;          // stamp
  std::string accepted_results_sha256;  // of that bundle's results.json
  std::string accepted_root_digest;  // of its records, "" in files without it: stays the same when the bundle
                                     // is finalised again
  std::string accepted_commit;       // "" where the program was built outside git
  std::vector<BaselineCase> cases;   // sorted by name, unique
};

const BaselineCase* find_case(const Baseline& baseline, const std::string& name);
const BaselineMetric* find_metric(const BaselineCase& baseline_case, const std::string& name);

Json to_json(const Baseline& baseline);
std::string baseline_text(const Baseline& baseline);  // of the file: a line per option and metric

// Throws Error(input) "SOURCE: cases.CASE.metrics.accuracy_mean_mm.tolerance: ...", Error(not_comparable)
// for a schema_version other than ours.
Baseline baseline_from_json(const Json& json, const std::string& source);
Baseline read_baseline(const std::filesystem::path& path);

}  // namespace aqbench
