#pragma once
// Accepts a run as the new baseline. Nothing else writes baselines.

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/gating/baseline.h"
#include "harness/records/results.h"

namespace aqbench {

// One way in which the new baseline differs from the old one.
struct AcceptChange {
  enum class Kind { case_added, case_removed, options_changed, metric_added, metric_removed, value_changed };
  Kind kind = Kind::value_changed;
  std::string case_name, metric;
  std::optional<double> before, after;
  std::string unit, note;
};

// What accepting a run does.
struct Acceptance {
  Baseline baseline;     // the one that is, or would be, written
  bool existed = false;  // there was a baseline before
  std::vector<AcceptChange> changes;
  std::vector<std::string> notes;     // which undefined metrics and skipped cases are left out
  std::vector<std::string> refusals;  // "the run is shard 2/3 (--from-shard)": what no flag allows yet
};

// What `aqbench accept` refuses unless its flag is given: each would silently take something out of the
// baseline.
struct AcceptExceptions {
  bool from_shard = false;       // --from-shard: the run is one part of a divided sweep
  bool part_of_suite = false;    // --part-of-suite: the suite has cases that the run has not
  bool remove_cases = false;     // --remove-cases: the old baseline has cases that the run has not
  bool remove_metrics = false;   // --remove-metrics: the old baseline gates metrics that the run has not
  bool new_options = false;      // --new-options: cases ran with other options than the baseline's or suite's
  bool injected_faults = false;  // --injected-faults: cases ran with faults on purpose
  bool leave_out_undefined = false;  // --leave-out-undefined: values are null, and not because of the truth
};

// A verified run that somebody wants to accept.
struct AcceptedRun {
  std::filesystem::path bundle;  // for messages
  Results results;
  std::string program_commit;     // of the program that measured; "" where it was built outside git
  bool changed_sources = false;   // it was built from sources with changes that are not committed
  std::string shard;              // "2/3": it ran one part of a divided sweep; "" for a whole one
  std::string by = {}, utc = {};  // who accepts it and when, for the file; "" is not written
  // Of --tolerance, by metric; they take the place of those that the file has.
  std::vector<std::pair<std::string, Tolerance>> tolerances = {};
  bool tolerances_from_seeds = false;  // --tolerances-from-seeds: of cases that ran with several seeds
  std::optional<Results> seeds = {};   // --tolerances-from: another run, of some cases with several seeds
  bool stored_times = false;           // keep the run's times in the baseline
  // The cases that the run's suite has by itself, with their options and without metrics, sorted by name;
  // empty where the run is of no suite.
  std::vector<BaselineCase> suite_cases;
};

// Returns what accepting would do. Metrics that the file has keep their tolerances and directions; new ones
// get default_tolerance(); with seeds of this or another run learn_tolerances() comes after. What needs a
// flag that `allowed` does not have stands in the refusals. Throws Error(input) if the run was interrupted,
// has no case, has nothing to gate, or has a record that failed; Error(not_comparable) if the file is a
// baseline of another suite.
Acceptance plan_acceptance(const AcceptedRun& run, const std::filesystem::path& baseline_path,
                           const AcceptExceptions& allowed = {});

// Does the same, then writes the file, whole or not at all. Throws also Error(input) with all refusals.
Acceptance accept_baseline(const AcceptedRun& run, const std::filesystem::path& baseline_path,
                           const AcceptExceptions& allowed = {});

// Returns old and new values of each case and metric, what is added and removed, the notes and the refusals.
std::string render_acceptance(const Acceptance& acceptance, bool colours = false);

}  // namespace aqbench
