#pragma once
// The only writer of baselines.

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "harness/gating/baseline.h"
#include "harness/records/results.h"

namespace aqbench {

// Holds one way in which the new baseline differs from the old one.
struct AcceptChange {
  enum class Kind { case_added, case_removed, options_changed, metric_added, metric_removed, value_changed };
  Kind kind = Kind::value_changed;
  std::string case_name, metric;
  std::optional<double> before, after;
  std::string unit, note;
};

// Holds what accepting a run does.
struct Acceptance {
  Baseline baseline;     // the one that is, or would be, written
  bool existed = false;  // there was a baseline before
  std::vector<AcceptChange> changes;
  std::vector<std::string> notes;  // which undefined metrics and skipped cases are left out
};

// Holds a verified run that somebody wants to accept.
struct AcceptedRun {
  std::filesystem::path bundle;  // for messages
  Results results;
  std::string program_commit;    // of the program that measured; "" where it was built outside git
  bool changed_sources = false;  // it was built from sources with changes that are not committed
};

// Returns what accepting would do. Metrics that the file has keep their tolerances and directions; new ones
// get default_tolerance(). Throws Error(input) if the run was interrupted, has no case, or has a record that
// failed or had a fault injected; Error(not_comparable) if the file is a baseline of another suite.
Acceptance plan_acceptance(const AcceptedRun& run, const std::filesystem::path& baseline_path);

// Does the same, then writes the file, whole or not at all.
Acceptance accept_baseline(const AcceptedRun& run, const std::filesystem::path& baseline_path);

// Returns old and new values of each case and metric, what is added and removed, and the notes.
std::string render_acceptance(const Acceptance& acceptance, bool colours = false);

}  // namespace aqbench
