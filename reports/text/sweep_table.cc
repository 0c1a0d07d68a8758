#include <fmt/format.h>

#include <algorithm>

#include "core/text.h"
#include "reports/content/case_columns.h"
#include "reports/content/method_tables.h"
#include "reports/text/tables.h"

namespace aqbench {
namespace {

struct SweepColumns {
  bool scene = true, axes = true;
  std::vector<MetricColumn> metrics;
  std::optional<TimeUnit> time;  // given files have no times
};

std::vector<std::optional<Spread>> spreads_of(const CaseGroup& group, const SweepColumns& columns) {
  std::vector<std::optional<Spread>> spreads;
  for (const MetricColumn& column : columns.metrics) spreads.push_back(metric_spread(group, column.metric));
  if (!columns.time) return spreads;
  auto& time = spreads.emplace_back(time_spread(group));
  if (time) time->mean /= columns.time->ms;
  if (time && time->standard_deviation) *time->standard_deviation /= columns.time->ms;
  return spreads;
}

std::string count_text(const CaseGroup& group) {
  const std::size_t ok = ok_count(group);
  return ok == group.records.size() ? fmt::format("{}", ok) : fmt::format("{}/{}", ok, group.records.size());
}

void append_group_rows(const CaseGroup& group, const SweepColumns& columns, Table& table) {
  std::vector<TableCell> row;
  if (columns.scene) row.push_back({group.scene});
  row.push_back({group.method});
  if (columns.axes) row.push_back({group.axes});
  const bool all_ok = ok_count(group) == group.records.size();
  row.push_back({count_text(group), all_ok ? Colour::none : Colour::red});
  std::vector<TableCell> below(row.size());
  bool several = false;
  for (const auto& spread : spreads_of(group, columns)) {
    row.push_back(spread ? TableCell{table_number(spread->mean)} : TableCell{"n/a", Colour::yellow});
    const bool has_deviation = spread && spread->standard_deviation;
    several = several || has_deviation;
    below.push_back({has_deviation ? "±" + table_number(*spread->standard_deviation) : "", Colour::dim});
  }
  table.rows.push_back(std::move(row));
  if (several) table.rows.push_back(std::move(below));
}

Table table_of(const std::vector<CaseGroup>& groups, const SweepColumns& columns) {
  Table table;
  if (columns.scene) table.columns.push_back({"scene"});
  table.columns.push_back({"method"});
  if (columns.axes) table.columns.push_back({"axes"});
  table.columns.push_back({"n", Align::right});
  for (const MetricColumn& column : columns.metrics) table.columns.push_back({column.heading, Align::right});
  if (columns.time) table.columns.push_back({fmt::format("time\n{}", columns.time->name), Align::right});
  for (const CaseGroup& group : groups) append_group_rows(group, columns, table);
  return table;
}

// Names matter more than numbers: columns are left out one by one until the names fit. Where names are too
// long for any table, only the first two are left out. summary.md has all.
Table fitting_table(const std::vector<CaseGroup>& groups, SweepColumns columns, std::size_t width) {
  columns.metrics = metric_columns(groups);
  if (std::ranges::any_of(groups, [](const CaseGroup& group) { return time_spread(group).has_value(); }))
    columns.time = time_unit(groups);
  Table table = table_of(groups, columns);
  std::optional<Table> with_short_names;
  for (const std::string_view dispensable :
       {"bias_mean_mm", "points_per_mm2", "accuracy_median_mm", "accuracy_rmse_mm", "precision_"}) {
    if (table_width(table) <= width) return table;
    std::erase_if(columns.metrics,
                  [&](const MetricColumn& column) { return column.metric.starts_with(dispensable); });
    table = table_of(groups, columns);
    if (dispensable == "points_per_mm2") with_short_names = table;
  }
  return table_width(table) <= width ? table : std::move(*with_short_names);
}

// Methods in rows, or in columns where that is too wide.
std::string render_method_table(const MethodTable& shown, bool colours, std::size_t width) {
  const auto table_of_means = [&](bool turned) {
    const auto &rows = turned ? shown.scenes : shown.methods,
               &columns = turned ? shown.methods : shown.scenes;
    Table table{{{turned ? "scene" : "method"}}, {}};
    for (const std::string& column : columns) table.columns.push_back({column, Align::right});
    for (std::size_t i = 0; i < rows.size(); ++i) {
      auto& row = table.rows.emplace_back(1, TableCell{rows[i]});
      for (std::size_t k = 0; k < columns.size(); ++k) {
        const MethodCell& cell = turned ? shown.cells[k][i] : shown.cells[i][k];
        row.push_back({(cell.best ? "*" : "") + cell.text, cell.best ? Colour::green : Colour::none});
      }
    }
    return table;
  };
  Table table = table_of_means(false);
  if (table_width(table) > width) table = table_of_means(true);
  return printable(shown.title) + "\n" + render_table(table, colours, std::max(width, table_width(table))) +
         "\n";
}

std::string legend(const Results& results) {
  const bool any_truth = std::ranges::any_of(results.records, [](const Record& record) {
    return record.status == Status::ok && has_true_surface(record);
  });
  return any_truth ? "Errors: distance of points to the true surface. n: seeds.\n" : "";
}

// Returns a line for each reason why headline metrics of a record are undefined:
// "accuracy_mean_mm, bias_mean_mm: the cloud is empty".
std::vector<std::string> undefined_lines(const Record& record) {
  std::vector<std::pair<std::string, std::string>> names_by_reason;
  for (const HeadlineMetric& headline : headline_metrics()) {
    const Metric* const metric = find_metric(record.metrics, headline.name);
    if (metric == nullptr || metric->value) continue;
    const auto known =
        std::ranges::find(names_by_reason, metric->reason, &std::pair<std::string, std::string>::first);
    if (known == names_by_reason.end())
      names_by_reason.emplace_back(metric->reason, headline.name);
    else
      known->second += std::string(", ") + headline.name;
  }
  std::vector<std::string> lines;
  lines.reserve(names_by_reason.size());
  for (const auto& [reason, names] : names_by_reason) lines.push_back(fmt::format("{}: {}", names, reason));
  return lines;
}

std::string problem_lines(const CaseGroup& group, std::size_t width) {
  std::string text;
  for (const Record* record : group.records) {
    if (record->status != Status::ok) {
      const std::string line =
          fmt::format("{}  {}: {}", to_string(record->status), record->case_name, record->reason);
      text += wrap_text(printable(line), width, 4);
      continue;
    }
    for (const std::string& line : undefined_lines(*record))
      text += wrap_text(printable(fmt::format("n/a  {}: {}", record->case_name, line)), width, 5);
  }
  return text;
}

}  // namespace

std::string render_sweep_table(const Results& results, bool colours, std::size_t width) {
  auto groups = method_groups(results);
  std::string text;
  if (const auto tables = method_tables(results); !tables.empty()) {
    for (const MethodTable& table : tables) text += render_method_table(table, colours, width);
  } else if (!groups.empty() || !has_workloads(results)) {
    std::string common = take_common_axes(groups);
    SweepColumns columns;
    columns.axes = std::ranges::any_of(groups, [](const CaseGroup& group) { return !group.axes.empty(); });
    columns.scene = std::ranges::any_of(
        groups, [&](const CaseGroup& group) { return group.scene != groups.front().scene; });
    if (!columns.scene && !groups.empty())
      common = "scene=" + groups.front().scene + (common.empty() ? "" : " ") + common;
    const Table table = fitting_table(groups, columns, width);
    if (!common.empty()) text += wrap_text(printable("all: " + common), width, 5);
    text += render_table(table, colours, std::max(width, table_width(table))) + legend(results);
    text += render_program_table(groups, columns.scene, colours, width);
    text += render_protocol_lines(results);
  }
  for (const CaseGroup& group : groups) text += problem_lines(group, width);
  const std::string workloads = render_workload_table(results, colours, width);
  text += (text.empty() || workloads.empty() ? "" : "\n") + workloads;
  if (!results.run.complete)
    text += fmt::format("interrupted: {} of {} cases\n", results.records.size(), results.run.planned_cases);
  return text;
}

}  // namespace aqbench
