#pragma once
// A history of bundles: where a value changed its level (Hunter, harness/statistics/change_points.h). A trend
// points at where to look; it is no gate.

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "harness/records/results.h"
#include "harness/statistics/change_points.h"

namespace aqbench {

struct TrendRun {
  std::string id, started_utc, commit;
  std::string machine;  // the comparability key as text: times of different keys are different series
  Results results;
};

// Every bundle below the folders (a folder may be a bundle itself), oldest first. What does not verify is
// left out and named in `problems`; so is a run that is there twice. Throws Error(input) if a folder cannot
// be listed.
struct TrendHistory {
  std::vector<TrendRun> runs;
  std::vector<std::string> problems;
};
TrendHistory read_history(const std::vector<std::filesystem::path>& folders);

struct TrendSeries {
  std::string case_name, metric, unit;
  Better better = Better::lower;
  std::vector<std::size_t> runs;  // indices into the history
  std::vector<double> values;     // as long
  std::vector<ChangePoint> changes;
  std::optional<PinnedComparison> pinned;  // the newest level against a pinned run's
};

struct TrendOptions {
  std::string metric;  // "" for all; "time_ms" for the time of a case, "stage:NAME" for a stage's self time
  std::string pinned;  // a run's id or a commit (a prefix of one); "" for none
  ChangePointOptions change_points;
};

// A series for each case and metric that at least two runs have with the same options, accuracy over all
// runs, times (time_ms and stages) per machine key. Those with a change first. Throws Error(usage) for a
// pinned run that is not there.
std::vector<TrendSeries> find_trends(const TrendHistory& history, const TrendOptions& options);

// At most 100 columns: a line per change, newest first, then how many series did not change.
std::string render_trends(const TrendHistory& history, const std::vector<TrendSeries>& series, bool colours);

// A chart per series (at most 24, those with changes first): values over runs, levels as lines, changes
// marked. Self-contained, light and dark.
std::string trends_svg(const TrendHistory& history, const std::vector<TrendSeries>& series);

}  // namespace aqbench
