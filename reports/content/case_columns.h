#pragma once
// Which metrics a table of cases shows: those that have values. Terminal, summary.md, report.html, exports
// and the documents all take their columns from here. And tables of what protocols and programs gave.

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/table.h"
#include "metrics/metric.h"
#include "metrics/registry.h"
#include "reports/content/case_groups.h"

namespace aqbench {

// A metric as a column.
struct MetricColumn {
  std::string metric;   // as in records
  std::string heading;  // for terminals, two lines: "mean error\nmm"
  std::string title;    // for pages: "mean error [mm]"
};

// Returns the columns of cases with these metrics, in their order: errors, shares and density of clouds with
// a truth; then, where a case has none of these, what is known without a truth: agreement, reprojection,
// scale, control points, depth maps; last what is known of a method's own poses. A column has at least one
// value; where nothing has any, the columns are those of the undefined values, whose reasons stand in the
// cells.
//
// Shares at the default tolerances have one column each, at 2 mm, or at the next tolerance at which half of
// the cases are below 99 % and one is above 1 %. Other tolerances were declared: each has its columns, up to
// three tolerances.
std::vector<MetricColumn> metric_columns(std::span<const MetricSet* const> cases);

// Returns the columns of these cases; workloads have none, imported numbers one for each metric.
std::vector<MetricColumn> metric_columns(std::span<const CaseGroup> groups);
inline std::vector<MetricColumn> metric_columns(const Results& results) {
  return metric_columns(group_cases(results));
}

// Adds a column for each metric that has none, as imported numbers have them.
void add_every_metric(const MetricSet& metrics, std::vector<MetricColumn>& columns);

// Return whether a true surface is known of a case, which has errors, defined or not, or of any that is ok.
bool has_true_surface(const Record& record);
bool has_true_surface(const Results& results);

// Returns whether nothing says how large the output of a case is: its method placed its cameras itself, and
// no true camera is known.
bool has_free_scale(const Record& record);

// Returns how many cases that are ok have no true surface, and what their numbers are worth; "" where all
// have one.
std::string without_truth_note(const Results& results);

// The names of cases, without what is the same for all.
struct CaseNames {
  std::string common;  // what all cases share, which no name repeats: "scene=undulating seed=42"
  bool has_scenes = false, has_axes = false;  // whether these columns tell cases apart
  std::map<std::string, CaseName> of = {};    // by case name
  std::vector<const Record*> order = {};      // by name, numbers in names by their values
};

// Takes what all groups share out of them, and returns names without cases.
CaseNames take_names(std::vector<CaseGroup>& groups);

// Names the cases. Points into `results`.
CaseNames name_cases(const Results& results);

// The unit of a column of times.
struct TimeUnit {
  const char* name = "ms";
  double ms = 1;  // of one unit
};

// Returns ms where no case takes a second, min where one takes ten minutes, else s.
TimeUnit time_unit(std::span<const CaseGroup> groups);
inline TimeUnit time_unit(const Results& results) { return time_unit(group_cases(results)); }
TimeUnit time_unit(double most_ms);  // by the longest time

// The texts beside such tables.
inline constexpr const char* kProtocolRowsNote =
    "Each protocol at the threshold that its rankings use; results.json has the others, and the knobs in "
    "their definitions (docs/protocols.md).";

inline constexpr const char* kProgramRowsNote =
    "What each program and all that it started used in the cold run, the mean over the seeds; memory is the "
    "largest peak of all together.";

// Tables under short names of cases; each column has a value.
// The numbers of protocols at their headline thresholds, or at the first threshold of a run that does not
// have that; no rows where no protocol ran.
Table protocols_table(const Results& results);

// What the programs of a run used, a row for cases that differ in their seed alone; no rows where none was
// started.
Table programs_table(const Results& results);

}  // namespace aqbench
