#pragma once
// The one table of cases and metrics: of single cases, of means over seeds, and of methods and scenes. All
// writers show it.

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
// scenes their mean. The best of each column, with those that cannot be told from it, and the next one are
// marked; of methods that find their poses themselves among each other. `ranked`: the rows with the fewest
// missing values come first, then by the mean of the first metric, and of one scene the columns are the
// values of an axis.
std::vector<Table> method_tables(const Results& results, std::span<const MetricColumn> metrics,
                                 bool ranked = false);

// What the cells of such tables are.
inline constexpr const char* kMethodTablesNote =
    "Mean over the seeds ± standard error. Bold: the best of a column, and those that a paired t test over "
    "the seeds cannot tell from it (p > 0.05). `aqbench ab` decides.";

// Returns a metric as the first record that lists it has it, and which side of it is better, in words.
Metric metric_in(std::span<const CaseGroup> groups, std::string_view name);
const char* direction_words(const std::string& metric, Better better);

// Returns the columns that name a case, and its cells below them.
std::vector<TableColumn> name_columns(const CaseNames& names);
std::vector<TableCell> name_cells(const CaseNames& names, const CaseName& name, const std::string& note = "");

}  // namespace aqbench
