#pragma once
// Accepts a run as the new baseline. Nothing else writes baselines.

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/table.h"
#include "harness/gating/baseline.h"
#include "harness/records/results.h"

namespace aqbench {

// The fewest seeds for learning tolerances.
inline constexpr std::size_t kLeastSeeds = 5;

// Sets a tolerance for each metric of the baseline that varies over the seeds of `seeded`, such that a run of
// an unchanged method is within all of them in 99 % (docs/ci.md), and adds the numbers of seeds to `notes`.
// Cases are equal if their names differ only in the seed. Those with fewer than kLeastSeeds seeds keep
// theirs. Throws Error(usage) if nothing could be learned, Error(not_comparable) if such cases ran with other
// options.
void learn_tolerances(const std::vector<BaselineCase>& seeded, Baseline& baseline,
                      std::vector<std::string>& notes);

// Reduces learned tolerances that no value could exceed: a metric whose higher values are better may fall by
// 90 % at most. Adds the number of reduced ones to `notes`.
void cap_learned_tolerances(Baseline& baseline, std::vector<std::string>& notes);

// A difference between the new and the old baseline.
struct AcceptChange {
  enum class Kind { case_added, case_removed, options_changed, metric_added, metric_removed, value_changed };
  Kind kind = Kind::value_changed;
  std::string case_name = {}, metric = {};
  std::optional<double> before = {}, after = {};
  std::string unit = {}, note = {};
};

// The effect of accepting a run.
struct Acceptance {
  Baseline baseline;     // the one that is or would be written
  bool existed = false;  // a baseline existed before
  std::vector<AcceptChange> changes;
  std::vector<std::string> notes;     // undefined metrics and skipped cases that are left out
  std::vector<std::string> refusals;  // "the run is shard 2/3 (--from-shard)": what no flag allows yet
};

// What `aqbench accept` refuses without its flag: each would silently remove something from the baseline.
struct AcceptExceptions {
  bool from_shard = false;           // --from-shard: the run is a shard of a sweep
  bool part_of_suite = false;        // --part-of-suite: the run lacks cases of the suite
  bool remove_cases = false;         // --remove-cases: the run lacks cases of the old baseline
  bool remove_metrics = false;       // --remove-metrics: the run lacks metrics that the old baseline gates
  bool new_options = false;          // --new-options: options differ from those of the baseline or suite
  bool injected_faults = false;      // --injected-faults: cases ran with injected faults
  bool leave_out_undefined = false;  // --leave-out-undefined: values are null, and not because of the truth
};

// A verified run to be accepted.
struct AcceptedRun {
  std::filesystem::path bundle;  // for messages
  Results results;
  std::string program_commit;     // of the program that measured; "" if built outside git
  std::string repository = {};    // commit of the user's programs (users_commit()); "" without any
  bool changed_sources = false;   // it was built from sources with uncommitted changes
  std::string shard;              // "2/3": it is a shard of a sweep; "" for a whole one
  std::string by = {}, utc = {};  // who accepts it and when, for the file; "" is not written
  // From --tolerance, by metric; they replace those of the file.
  std::vector<std::pair<std::string, Tolerance>> tolerances = {};
  bool tolerances_from_seeds = false;  // --tolerances-from-seeds: from cases with several seeds
  std::optional<Results> seeds = {};   // --tolerances-from: another run, of some cases with several seeds
  bool stored_times = false;           // store the run's times in the baseline
  bool times_alone = false;            // it is of another benchmark tool and has nothing else to accept
  // The cases of the run's suite with their options and without metrics, sorted by name; empty without a
  // suite.
  std::vector<BaselineCase> suite_cases;
};

// Returns the effect of accepting. Existing metrics keep their tolerances and directions; new ones get
// default_tolerance(), then learn_tolerances() if seeds of this or another run are given. Refusals name the
// missing flags. Throws Error(input) if the run was interrupted, is empty, has nothing to gate or has a
// failed record; Error(not_comparable) if the file is a baseline of another suite.
Acceptance plan_acceptance(const AcceptedRun& run, const std::filesystem::path& baseline_path,
                           const AcceptExceptions& allowed = {});

// Does the same and writes the file atomically, one process at a time. Also throws Error(input) with all
// refusals, Error(io).
Acceptance accept_baseline(const AcceptedRun& run, const std::filesystem::path& baseline_path,
                           const AcceptExceptions& allowed = {});

// Returns old and new values of each case and metric, additions, removals, notes and refusals.
std::string render_acceptance(const Acceptance& acceptance, bool colours = false,
                              std::size_t columns = kScreenColumns);

}  // namespace aqbench
