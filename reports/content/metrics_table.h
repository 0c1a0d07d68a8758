#pragma once
// The one table of cases and metrics: of single cases, of means over seeds, and of methods and scenes. All
// writers show it.

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "reports/content/bundle_content.h"
#include "reports/content/case_columns.h"
#include "reports/document/document.h"

namespace aqbench {

// A row: the cells that name it, and its record, or those that differ in their seed alone.
struct MetricsRow {
  std::vector<TableCell> names;
  std::vector<const Record*> records;
};

// Returns the table: the columns of names, a column for each metric, with mean and standard deviation of
// several records, and with `time` their times. What is undefined is "n/a" with its reason.
Table metrics_table(std::vector<TableColumn> names, const std::vector<MetricsRow>& rows,
                    std::span<const MetricColumn> columns, const TimeUnit* time = nullptr);

// A table whose names leave out what all rows share: "scene=undulating seed=42".
struct NamedTable {
  std::string common;
  Table table;
};

// Returns what all cases of a table have in common, in words; "" where that is nothing.
Paragraph common_words(const std::string& common);

// Returns a row for each case: status, what the gate says, metrics, times, memory. Cases that failed come
// first, then those that the gate refuses, then the others by name.
NamedTable cases_table(const BundleContent& content);

// Returns a row for each of these groups: means over the seeds.
NamedTable groups_table(std::vector<CaseGroup> groups, bool with_times);

// Returns for each of these metrics a table of methods and scenes, of means over the seeds, and of several
// scenes their mean. The best and the second of each column are marked; of methods that find their poses
// themselves among each other.
std::vector<Table> method_tables(const Results& results, std::span<const MetricColumn> columns);

// What the cells of such tables are.
inline constexpr const char* kMethodTablesNote =
    "Mean over the seeds ± standard deviation; the best of each scene is marked, whether or not the "
    "difference is more than noise: `aqbench ab` decides that.";

// Returns the columns that name a case, and its cells below them.
std::vector<TableColumn> name_columns(const CaseNames& names);
std::vector<TableCell> name_cells(const CaseNames& names, const std::string& case_name,
                                  const std::string& note = "");

}  // namespace aqbench
