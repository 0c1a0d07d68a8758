// The table at the end of `aqbench sweep`.
#include <fmt/format.h>

#include <algorithm>

#include "reports/case_groups.h"
#include "reports/summary.h"
#include "reports/table.h"
#include "reports/workload_tables.h"

namespace aqbench {
namespace {

// At 100 columns there is no room for all; summary.md has the rest.
std::vector<HeadlineMetric> metrics_on_screen(bool with_axes) {
  std::vector<HeadlineMetric> metrics;
  for (const HeadlineMetric& metric : headline_metrics()) {
    const std::string_view name = metric.name;
    if (name == "bias_mean_mm" || (with_axes && name == "point_density_pct")) continue;
    metrics.push_back(metric);
  }
  return metrics;
}

std::vector<std::optional<Spread>> spreads_of(const CaseGroup& group, bool with_axes) {
  std::vector<std::optional<Spread>> spreads;
  for (const HeadlineMetric& metric : metrics_on_screen(with_axes))
    spreads.push_back(metric_spread(group, metric.name));
  spreads.push_back(time_spread(group));
  return spreads;
}

std::string count_text(const CaseGroup& group) {
  const std::size_t ok = ok_count(group);
  return ok == group.records.size() ? fmt::format("{}", ok) : fmt::format("{}/{}", ok, group.records.size());
}

void append_group_rows(const CaseGroup& group, bool with_axes, Table& table) {
  std::vector<TableCell> row = {{group.scene}, {group.method}};
  if (with_axes) row.push_back({group.axes});
  const bool all_ok = ok_count(group) == group.records.size();
  row.push_back({count_text(group), all_ok ? Colour::none : Colour::red});
  std::vector<TableCell> below(row.size());
  bool several = false;
  for (const auto& spread : spreads_of(group, with_axes)) {
    row.push_back(spread ? TableCell{table_number(spread->mean)} : TableCell{"n/a", Colour::yellow});
    const bool has_deviation = spread && spread->standard_deviation;
    several = several || has_deviation;
    below.push_back({has_deviation ? "±" + table_number(*spread->standard_deviation) : "", Colour::dim});
  }
  table.rows.push_back(std::move(row));
  if (several) table.rows.push_back(std::move(below));
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
    for (const std::string& line : undefined_lines(*record))
      text += wrap_text(printable(fmt::format("n/a  {}: {}", record->case_name, line)), kScreenColumns, 5);
  }
  return text;
}

}  // namespace

std::string render_sweep_table(const Results& results, bool colours) {
  auto groups = group_cases(results);
  std::erase_if(groups, [](const CaseGroup& group) { return !group.records.front()->workload.empty(); });
  const bool with_axes =
      std::ranges::any_of(groups, [](const CaseGroup& group) { return !group.axes.empty(); });
  Table table{{{"scene", Align::left, true}, {"method", Align::left, true}}, {}};
  if (with_axes) table.columns.push_back({"axes", Align::left, true});
  table.columns.push_back({"n", Align::right});
  for (const HeadlineMetric& metric : metrics_on_screen(with_axes))
    table.columns.push_back({metric.heading, Align::right});
  table.columns.push_back({"time\nms", Align::right});
  for (const CaseGroup& group : groups) append_group_rows(group, with_axes, table);

  std::string text;
  if (!groups.empty() || !has_workloads(results)) {
    text = render_table(table, colours);
    text +=
        "mean, median, rmse: distance of points to the true surface. prec., compl., F: at 2 mm. n: seeds.\n";
  }
  for (const CaseGroup& group : groups) text += problem_lines(group);
  const std::string workloads = render_workload_table(results, colours);
  text += (text.empty() || workloads.empty() ? "" : "\n") + workloads;
  if (!results.run.complete)
    text += fmt::format("interrupted: {} of {} cases\n", results.records.size(), results.run.planned_cases);
  return text;
}

}  // namespace aqbench
