#pragma once
// A history of bundles: where a value changed its level (harness/statistics/change_points.h), as text and as
// charts. A trend shows where to look; it is no gate.

#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "harness/ab/deciding_time.h"
#include "harness/records/results.h"
#include "harness/statistics/change_points.h"
#include "reports/document/document.h"

namespace aqbench {

// One run of the history.
struct TrendRun {
  std::string id, started_utc;
  std::string file;           // of another benchmark tool; "" for a bundle
  std::string commit;         // of the program's sources
  std::string folder_commit;  // of the folder that the run was started in, where that is another one
  std::string machine;        // the comparability key as text; times with different keys are different series
  Results results;
};

// The runs, oldest first.
struct TrendHistory {
  std::vector<TrendRun> runs;
  std::vector<std::string> problems;  // a line for each bundle that was left out
};

// A folder below a given one that cannot be listed.
struct UnlistedFolder {
  std::filesystem::path folder;
  std::string problem;  // a line that names it
};

// Returns the commit that a path names where it ends as the pattern says, "results/{commit}.json", or goes on
// below it; nullopt where it does not. Throws Error(usage) for a pattern without {commit}.
std::optional<std::string> commit_in_path(const std::string& pattern, const std::filesystem::path& path);

// Returns what a comparison counts for in a history, its B (harness/ab/document.h); nullopt for a bundle of a
// sweep. Throws as read_any_results() and document_of().
std::optional<Results> comparison_in_history(const std::filesystem::path& bundle);

// Returns every bundle, and every file of another benchmark tool (harness/ab/benchmark_file.h), in the
// folders, at most three levels below them, in order of their paths; a folder may be a bundle itself. One
// without results.json counts where its sha256.txt names it, or stands beside a journal; calibrations of `ab`
// do not. Folders below that cannot be listed are added to `unlisted`. Throws Error(input) if a given folder
// cannot be listed, and without `unlisted` also for any other.
std::vector<std::filesystem::path> find_bundles(const std::vector<std::filesystem::path>& folders,
                                                std::vector<UnlistedFolder>* unlisted = nullptr);

// Reads every bundle and file of another benchmark tool in the folders, as find_bundles() finds them. A
// bundle that does not verify, or whose records another bundle has already, is left out. `commit_of` is a
// pattern of commit_in_path(), "" for none. Throws Error(input) if a folder cannot be listed, and
// Error(usage) if no path matches the pattern.
TrendHistory read_history(const std::vector<std::filesystem::path>& folders,
                          const std::string& commit_of = {});

// One metric of one case over the runs.
struct TrendSeries {
  std::string case_name, metric, unit;
  Better better = Better::lower;
  bool is_time = false;           // of runs on one kind of machine
  std::vector<std::size_t> runs;  // indices into TrendHistory::runs
  std::vector<double> values;     // as many as runs
  std::vector<ChangePoint> changes;
  std::optional<PinnedComparison> pinned;  // the newest level against that of the pinned run
};

// Which trends are wanted.
struct TrendOptions {
  // A name, "" for all; "time_ms" for the wall time of a case, "cpu_ms" for its CPU time, "stage:NAME" for a
  // stage's self time.
  std::string metric;
  DecideBy decide_by = DecideBy::automatic;  // which of the two, where none is named
  std::string pinned;                        // a run's id or commit, or the beginning of one; "" for none
  TrendStepOptions steps;
};

// Returns the steps of a metric over runs of the same options, as detect_steps() finds them. Fewer than four
// runs do not tell whether the value varies by itself: then a step is what a gate with the default tolerance
// does not pass (harness/gating/), with p = 1.
std::vector<ChangePoint> metric_steps(const std::string& metric, const std::string& unit, Better better,
                                      std::span<const double> values, const TrendStepOptions& options = {});

// Returns whether CPU time stands in for wall time in a history of a case that has both, the wall time in
// `wall_runs` and the CPU time in `cpu_runs`, of which `loaded` were measured under load.
bool cpu_time_decides(DecideBy wanted, std::ptrdiff_t loaded, std::ptrdiff_t cpu_runs,
                      std::ptrdiff_t wall_runs);

// Returns a series for each case and metric that at least two runs have with the same options, those with a
// change first. Accuracy and memory are taken over all runs; times (time_ms or cpu_ms, and stages) only over
// runs with the same machine key. CPU time stands in for wall time where the machine was loaded in most runs,
// all of them know it, and the case uses one thread. Throws Error(usage) for a pinned run that is not there,
// and for a metric that no run has.
std::vector<TrendSeries> detect_trends(const TrendHistory& history, const TrendOptions& options);

// Returns a line for each change, newest first, then how many series did not change. Names are never cut;
// other lines are as long as `width`.
std::string render_trends(const TrendHistory& history, const std::vector<TrendSeries>& series,
                          const Screen& screen = {});

// Returns the p of a step for a reader: "exact" for 0, "n/a" for 1, of too few runs for any.
std::string step_p_text(double p);

// Draws a chart for each series (at most 24, those with changes first): the values over the runs, the levels
// as lines, the changes marked. The SVG needs no other file and suits light and dark screens.
std::string trends_svg(const TrendHistory& history, const std::vector<TrendSeries>& series);

}  // namespace aqbench
