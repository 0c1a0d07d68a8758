#pragma once
// The only writer of baselines.

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "reports/baseline.h"

namespace aqbench {

struct AcceptChange {
  enum class Kind { case_added, case_removed, options_changed, metric_added, metric_removed, value_changed };
  Kind kind = Kind::value_changed;
  std::string case_name, metric;
  std::optional<double> before, after;
  std::string unit, note;
};

struct Acceptance {
  Baseline baseline;  // what is, or would be, written
  bool existed = false;
  std::vector<AcceptChange> changes;
  std::vector<std::string> notes;  // undefined metrics left out, skipped cases left out
};

// What accepting would do. Tolerances and directions of metrics that the file has are kept; new ones get
// default_tolerance(). Throws Error(verification) if the bundle does not verify, Error(input) if it is
// interrupted, has no case, or has a record that failed or had a fault injected, Error(not_comparable) if the
// file is a baseline of another suite.
Acceptance plan_acceptance(const std::filesystem::path& bundle, const std::filesystem::path& baseline_path);

// The same, then writes the file, whole or not at all.
Acceptance accept_baseline(const std::filesystem::path& bundle, const std::filesystem::path& baseline_path);

// old -> new per case and metric, what is added and removed, and the notes.
std::string render_acceptance(const Acceptance& acceptance, bool colours = false);

}  // namespace aqbench
