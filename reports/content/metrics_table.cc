#include "reports/content/metrics_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "harness/measuring/timing.h"
#include "harness/records/numbers.h"
#include "metrics/value_change.h"
#include "reports/content/verdict_text.h"

namespace aqbench {
namespace {

// The most cases of one table: pages list fewer (reports/html/report.h).
constexpr std::size_t kMaxShownRows = 5000;

TableCell undefined_cell(std::string reason) { return {"n/a", Colour::dim, "", 0, std::move(reason)}; }

TableCell spread_cell(const std::optional<Spread>& spread, double unit = 1) {
  if (!spread) return undefined_cell("");
  TableCell cell{table_number(spread->mean / unit)};
  if (spread->standard_deviation) cell.spread = table_number(*spread->standard_deviation / unit);
  return cell;
}

TableCell metric_cell(const Record& record, const std::string& name) {
  const Metric* const metric = find_metric(record.metrics, name);
  if (metric == nullptr) return undefined_cell(record.status == Status::ok ? "not measured" : "");
  return metric->value ? TableCell{table_number(*metric->value)} : undefined_cell(metric->reason);
}

// A case as a row: the worst verdict on it, nullptr where nothing was gated, and its place in the table.
struct CaseLine {
  const Record* record;
  const VerdictRow* gate;
  std::size_t rank;  // 0: failed; then those refused by the gate, as it lists them; then the rest

  bool leads() const { return rank < SIZE_MAX; }
};

std::vector<CaseLine> case_lines(const BundleContent& content, const CaseNames& names) {
  std::map<std::string, const VerdictRow*> worst;  // the verdicts are worst first
  if (content.gated)
    for (const VerdictRow& row : content.gated->rows)
      if (row.verdict != Verdict::added || row.metric.empty()) worst.emplace(row.case_name, &row);
  std::vector<CaseLine> lines;
  for (const Record* const record : names.order) {
    const auto found = worst.find(record->case_name);
    const VerdictRow* const gate = found == worst.end() ? nullptr : found->second;
    lines.push_back({record, gate,
                     is_failure(record->status) ? 0
                     : gate != nullptr && is_refused(gate->verdict)
                         ? 1 + static_cast<std::size_t>(gate - content.gated->rows.data())
                         : SIZE_MAX});
  }
  std::ranges::stable_sort(lines, {}, &CaseLine::rank);
  return lines;
}

TableCell gate_cell(const VerdictRow* row) {
  if (row == nullptr) return {};
  const std::string verdict = verdict_label(*row);
  if (!is_refused(row->verdict)) return {verdict};
  return {row->metric.empty() ? verdict : verdict + ": " + metric_words(row->metric), Colour::red, "", 0,
          row->reason};
}

// What cases took, where any says it.
void add_costs(const std::vector<CaseLine>& lines, const TimeUnit& unit, Table& table) {
  const auto add = [&](const std::string& header, const auto& cost_of) {
    if (std::ranges::none_of(lines, [&](const CaseLine& line) { return cost_of(*line.record).has_value(); }))
      return;
    table.columns.push_back({header, Align::right});
    for (std::size_t i = 0; i < table.rows.size(); ++i) {
      const std::optional<double> cost = cost_of(*lines[i].record);
      table.rows[i].push_back(cost ? TableCell{table_number(*cost)} : undefined_cell(""));
    }
  };
  add(fmt::format("time\n{}", unit.name), [&](const Record& record) -> std::optional<double> {
    const auto ms = typical_ms(record.timing);
    return ms ? std::optional(*ms / unit.ms) : std::nullopt;
  });
  add("peak memory\nMiB", [](const Record& record) -> std::optional<double> {
    const auto& bytes = record.peak_rss_bytes;
    return bytes ? std::optional(static_cast<double>(*bytes) / 0x1p20) : std::nullopt;
  });
}

// The parts of a name that tell cases apart.
template <class Part>
std::vector<Part> told_apart(const CaseNames& names, Part scene, Part method, Part axes) {
  std::vector<Part> parts;
  if (names.has_scenes) parts.push_back(std::move(scene));
  parts.push_back(std::move(method));
  if (names.has_axes) parts.push_back(std::move(axes));
  return parts;
}

}  // namespace

std::vector<TableColumn> name_columns(const CaseNames& names) {
  return told_apart(names, TableColumn{"scene", Align::left, false, ColumnRole::name},
                    {"method", Align::left, false, ColumnRole::opens}, {"axes"});
}

std::vector<TableCell> name_cells(const CaseNames& names, const CaseName& name, const std::string& note) {
  return told_apart(names, TableCell{name.scene}, {name.method + note}, {name.axes});
}

Metric metric_in(std::span<const CaseGroup> groups, std::string_view name) {
  for (const CaseGroup& group : groups)
    for (const Record* const record : group.records)
      if (const Metric* const metric = find_metric(record->metrics, name)) return *metric;
  return {};
}

const char* direction_words(const std::string& metric, Better better) {
  if (!is_ranked(metric)) return ", no accuracy";
  return better == Better::lower ? ", less is better" : better == Better::higher ? ", more is better" : "";
}

Table metrics_table(std::vector<TableColumn> names, const std::vector<MetricsRow>& rows,
                    std::span<const MetricColumn> columns, const TimeUnit* time) {
  Table table{std::move(names)};
  for (const MetricColumn& column : columns)
    table.columns.push_back(
        {column.heading, Align::right, false, ColumnRole::value, column.metric, column.title});
  if (time != nullptr) table.columns.push_back({fmt::format("time\n{}", time->name), Align::right});
  for (const auto& [cells, records] : rows) {
    auto& row = table.rows.emplace_back(cells);
    const CaseGroup group{{}, records};
    for (const MetricColumn& column : columns)
      row.push_back(records.size() == 1 ? metric_cell(*records.front(), column.metric)
                                        : spread_cell(metric_spread(group, column.metric)));
    if (time != nullptr) row.push_back(spread_cell(time_spread(group), time->ms));
  }
  return table;
}

Paragraph common_words(const std::string& common) {
  return {common.empty() ? "" : fmt::format("All cases have {}.", common)};
}

NamedTable cases_table(const BundleContent& content) {
  const Results& results = content.results;
  const CaseNames names = name_cases(results);
  const std::vector<CaseLine> lines = case_lines(content, names);
  std::vector<TableColumn> titles = name_columns(names);
  titles.push_back({"status"});
  if (content.gated) titles.push_back({"gate"});
  std::vector<MetricsRow> rows;
  for (const CaseLine& line : lines) {
    if (rows.size() == kMaxShownRows) break;
    const Record& record = *line.record;
    rows.push_back({name_cells(names, names.of.at(record.case_name), record.simulated ? " (simulated)" : ""),
                    {&record}});
    rows.back().names.push_back({to_string(record.status),
                                 record.status == Status::ok ? Colour::none : Colour::red, "", 0,
                                 record.reason});
    if (content.gated) rows.back().names.push_back(gate_cell(line.gate));
  }
  Table table = metrics_table(std::move(titles), rows, metric_columns(results));
  for (std::size_t i = 0; i < rows.size(); ++i)
    table.subjects.push_back({lines[i].record->case_name, true, lines[i].leads()});
  table.label = "all cases";
  table.left_out = lines.size() - rows.size();
  if (numbers_source(*results.run.requested).empty()) add_costs(lines, time_unit(results), table);
  return {names.common, std::move(table)};
}

NamedTable groups_table(std::vector<CaseGroup> groups, bool with_times) {
  const CaseNames names = take_names(groups);
  std::vector<TableColumn> titles = name_columns(names);
  titles.push_back({"n", Align::right});
  std::vector<MetricsRow> rows;
  bool timed = false;
  for (const CaseGroup& group : groups) {
    const std::size_t ok = ok_count(group), all = group.records.size();
    rows.push_back({name_cells(names, group), group.records});
    rows.back().names.push_back({ok == all ? std::to_string(ok) : fmt::format("{}/{}", ok, all),
                                 ok == all ? Colour::none : Colour::red});
    timed = timed || time_spread(group);
  }
  const TimeUnit unit = time_unit(groups);
  Table table =
      metrics_table(std::move(titles), rows, metric_columns(groups), with_times && timed ? &unit : nullptr);
  table.label = "means over seeds";
  table.dispensable = {"bias_mean_mm", "points_per_mm2", "accuracy_median_mm", "accuracy_rmse_mm",
                       "precision_"};
  return {names.common, std::move(table)};
}

}  // namespace aqbench
