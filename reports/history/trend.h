#pragma once
// A history of bundles: where a value changed its level (harness/statistics/change_points.h), as text and as
// charts. A trend shows where to look; it is no gate.

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/drawing/drawing.h"
#include "harness/ab/deciding_time.h"
#include "harness/records/results.h"
#include "harness/statistics/change_points.h"
#include "reports/document/document.h"

namespace aqbench {

// One run of the history.
struct TrendRun {
  std::string id, started_utc;
  std::filesystem::path folder = {};  // the bundle, or the file
  std::string file;                   // of another benchmark tool; "" for a bundle
  std::string commit;                 // of the program's sources
  std::string folder_commit;          // of the folder that the run was started in, where that is another one
  std::string machine;  // the comparability key as text; times with different keys are different series
  Results results;
};

// The runs, oldest first.
struct TrendHistory {
  std::vector<TrendRun> runs;
  std::vector<std::string> problems;    // a line for each bundle that does not verify, and was left out
  std::vector<std::string> notes = {};  // a line for each that is there twice, or of an unknown machine
};

// Returns the commit that a path names where it ends as the pattern says, "results/{commit}.json", or goes on
// below it; nullopt where it does not. Throws Error(usage) for a pattern without {commit}.
std::optional<std::string> commit_in_path(const std::string& pattern, const std::filesystem::path& path);

// Returns every bundle, and every file of another benchmark tool (harness/ab/benchmark_file.h), in the
// folders, at most three levels below them, in order of their paths; a folder may be a bundle itself. One
// without results.json counts where its sha256.txt names it, or stands beside a journal; calibrations of `ab`
// do not. Throws Error(input) if a folder cannot be listed.
std::vector<std::filesystem::path> find_bundles(const std::vector<std::filesystem::path>& folders);

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
};

// Returns a series for each case and metric that at least two runs have with the same options, those with a
// change first. Accuracy and memory are taken over all runs; times (time_ms or cpu_ms, and stages) only over
// runs with the same machine key. CPU time stands in for wall time where the machine was loaded in most runs,
// all of them know it, and the case uses one thread. Throws Error(usage) for a pinned run that is not there,
// and for a metric that no run has.
std::vector<TrendSeries> detect_trends(const TrendHistory& history, const TrendOptions& options);

// Returns the commit that was measured, shortened, with that of aqbench where it is another one:
// "3f2a9c01 aqbench 0a1b2c3d"; "" where none is known.
std::string commit_text(const TrendRun& run);

// Returns "RUN COMMIT".
std::string run_name(const TrendRun& run);

// Returns what the history comes to: the newest change of each value, the worst first. It decides nothing.
Banner trend_banner(const TrendHistory& history, const std::vector<TrendSeries>& series);

// Returns a text as HTML that leads to a case in a run, which is a place in the history.
using TrendLink =
    std::function<std::string(std::size_t run, const std::string& case_name, const std::string& text)>;

// Returns a row for each case that changed with a run, with the value that changed most, the newest run
// first, and the text beside them; none without changes. `link`, where given, is for pages.
std::vector<ReportBlock> trend_blocks(const TrendHistory& history, const std::vector<TrendSeries>& series,
                                      const TrendLink& link = {});

// Returns the series of the value that changed most of each case, the worst first, at most so many.
std::vector<TrendSeries> leading_trends(const std::vector<TrendSeries>& series, std::size_t most);

// Returns a line for each change, newest first, then how many series did not change. Names are never cut;
// other lines are as long as `width`.
std::string render_trends(const TrendHistory& history, const std::vector<TrendSeries>& series,
                          const Screen& screen = {});

// Return a chart for each series (at most 24, those with changes first): the values over the runs, the levels
// as lines, the changes marked; and the same as SVG that needs no other file.
Drawing trends_drawing(const TrendHistory& history, const std::vector<TrendSeries>& series);
std::string trends_svg(const TrendHistory& history, const std::vector<TrendSeries>& series);

}  // namespace aqbench
