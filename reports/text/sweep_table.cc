#include "reports/text/sweep_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/table.h"
#include "core/text.h"
#include "metrics/registry.h"
#include "reports/content/case_groups.h"
#include "reports/text/program_table.h"
#include "reports/text/workload_tables.h"

namespace aqbench {
namespace {

struct SweepColumns {
  bool scene = true, axes = true;
  std::vector<HeadlineMetric> metrics;
};

std::vector<std::optional<Spread>> spreads_of(const CaseGroup& group, const SweepColumns& columns) {
  std::vector<std::optional<Spread>> spreads;
  for (const HeadlineMetric& metric : columns.metrics) spreads.push_back(metric_spread(group, metric.name));
  spreads.push_back(time_spread(group));
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
  if (columns.scene) table.columns.push_back({"scene", Align::left, true});
  table.columns.push_back({"method", Align::left, true});
  if (columns.axes) table.columns.push_back({"axes", Align::left, true});
  table.columns.push_back({"n", Align::right});
  for (const HeadlineMetric& metric : columns.metrics)
    table.columns.push_back({metric.heading, Align::right});
  table.columns.push_back({"time\nms", Align::right});
  for (const CaseGroup& group : groups) append_group_rows(group, columns, table);
  return table;
}

// Names matter more than numbers: columns are left out one by one until the names fit into 100 columns. Where
// names are too long for any table, only the first two are left out. summary.md has all.
Table fitting_table(const std::vector<CaseGroup>& groups, SweepColumns columns) {
  columns.metrics = headline_metrics();
  std::optional<Table> with_short_names;
  for (const std::string_view dispensable :
       {"bias_mean_mm", "point_density_pct", "accuracy_median_mm", "accuracy_rmse_mm", "precision_2mm_pct"}) {
    std::erase_if(columns.metrics, [&](const HeadlineMetric& metric) { return metric.name == dispensable; });
    Table table = table_of(groups, columns);
    if (table_width(table) <= kScreenColumns) return table;
    if (dispensable == "point_density_pct") with_short_names = std::move(table);
  }
  return std::move(*with_short_names);
}

std::string metrics_legend(const Table& table) {
  const auto has = [&](std::string_view heading) {
    return std::ranges::any_of(table.columns, [&](const TableColumn& column) {
      return std::string_view(column.header).substr(0, column.header.find('\n')) == heading;
    });
  };
  std::string distances;
  for (const char* name : {"mean", "median", "rmse"})
    if (has(name)) distances += (distances.empty() ? "" : ", ") + std::string(name);
  return fmt::format("{}: distance of points to the true surface. {}compl., F: at 2 mm. n: seeds.\n",
                     distances, has("prec.") ? "prec., " : "");
}

bool has_headline(const Record& record) {
  return std::ranges::any_of(headline_metrics(), [&](const HeadlineMetric& headline) {
    return find_metric(record.metrics, headline.name) != nullptr;
  });
}

std::string problem_lines(const CaseGroup& group) {
  std::string text;
  for (const Record* record : group.records) {
    if (record->status != Status::ok) {
      const std::string line =
          fmt::format("{}  {}: {}", to_string(record->status), record->case_name, record->reason);
      text += wrap_text(printable(line), kScreenColumns, 4);
      continue;
    }
    if (record->workload.empty() && !has_headline(*record))
      text += wrap_text(
          printable(fmt::format("n/a  {}: no true surface is known, so nothing says how accurate it is",
                                record->case_name)),
          kScreenColumns, 5);
    for (const std::string& line : undefined_lines(*record))
      text += wrap_text(printable(fmt::format("n/a  {}: {}", record->case_name, line)), kScreenColumns, 5);
  }
  return text;
}

}  // namespace

std::string render_sweep_table(const Results& results, bool colours) {
  auto groups = group_cases(results);
  std::erase_if(groups, [](const CaseGroup& group) { return !group.records.front()->workload.empty(); });
  std::string text;
  if (!groups.empty() || !has_workloads(results)) {
    std::string common = take_common_axes(groups);
    SweepColumns columns;
    columns.axes = std::ranges::any_of(groups, [](const CaseGroup& group) { return !group.axes.empty(); });
    // One scene needs no column, where names need the room.
    columns.scene = !columns.axes || std::ranges::any_of(groups, [&](const CaseGroup& group) {
      return group.scene != groups.front().scene;
    });
    if (!columns.scene) common = "scene=" + groups.front().scene + (common.empty() ? "" : " ") + common;
    const Table table = fitting_table(groups, columns);
    if (!common.empty()) text += wrap_text(printable("all: " + common), kScreenColumns, 5);
    text += render_table(table, colours) + metrics_legend(table);
    text += render_program_table(groups, columns.scene, colours);
    text += render_protocol_lines(results);
  }
  for (const CaseGroup& group : groups) text += problem_lines(group);
  const std::string workloads = render_workload_table(results, colours);
  text += (text.empty() || workloads.empty() ? "" : "\n") + workloads;
  if (!results.run.complete)
    text += fmt::format("interrupted: {} of {} cases\n", results.records.size(), results.run.planned_cases);
  return text;
}

}  // namespace aqbench
