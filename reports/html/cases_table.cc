#include <fmt/format.h>

#include <algorithm>

#include "core/text.h"
#include "harness/measuring/timing.h"
#include "metrics/value_change.h"
#include "reports/content/verdict_text.h"
#include "reports/html/sections.h"

namespace aqbench {
namespace {

// A cell: its text, and why it is empty or what it means.
struct CaseCell {
  std::string text, hint;
  bool bad = false;
};

struct CaseColumn {
  std::string title, metric;    // metric: "" for what is none
  std::vector<CaseCell> cells;  // one for each record in the order of the table
};

struct CaseLine {
  const Record* record;
  const VerdictRow* gate;  // the worst verdict of the case; nullptr where nothing was gated
  std::size_t rank;        // 0: failed; then those refused by the gate, as it lists them; then the rest
};

std::vector<CaseLine> rows_of(const BundleContent& content) {
  std::map<std::string, const VerdictRow*> worst;  // the report has its rows worst first
  if (content.gated)
    for (const VerdictRow& row : content.gated->rows)
      if (row.verdict != Verdict::added || row.metric.empty()) worst.emplace(row.case_name, &row);
  std::vector<CaseLine> rows;
  for (const Record* const record : name_cases(content.results).order) {
    const auto found = worst.find(record->case_name);
    const VerdictRow* const gate = found == worst.end() ? nullptr : found->second;
    const bool failed = record->status != Status::ok && record->status != Status::skipped;
    const bool refused = gate != nullptr && is_refused(gate->verdict);
    rows.push_back({record, gate,
                    failed    ? 0
                    : refused ? 1 + static_cast<std::size_t>(gate - content.gated->rows.data())
                              : SIZE_MAX});
  }
  std::ranges::stable_sort(rows, {}, &CaseLine::rank);
  return rows;
}

CaseCell metric_cell(const Record& record, const std::string& name) {
  const Metric* const metric = find_metric(record.metrics, name);
  if (metric == nullptr) return {};
  return metric->value ? CaseCell{table_number(*metric->value), "", false}
                       : CaseCell{"", metric->reason, false};
}

CaseCell number_cell(const std::optional<double>& value) {
  return {value ? table_number(*value) : std::string(), "", false};
}

CaseCell gate_cell(const CaseLine& row) {
  if (row.gate == nullptr) return {};
  const bool refused = is_refused(row.gate->verdict);
  const std::string verdict = verdict_label(*row.gate);
  if (!refused) return {verdict, "", false};
  return {row.gate->metric.empty() ? verdict : verdict + ": " + metric_words(row.gate->metric),
          row.gate->reason, true};
}

template <class Cell>
void add_column(std::vector<CaseColumn>& columns, const std::vector<CaseLine>& rows, const std::string& title,
                const Cell& cell_of, const std::string& metric = "") {
  CaseColumn column{title, metric, {}};
  for (const CaseLine& row : rows) column.cells.push_back(cell_of(row));
  const auto filled = [](const CaseCell& cell) { return !cell.text.empty(); };
  if (std::ranges::any_of(column.cells, filled)) columns.push_back(std::move(column));
}

std::string throughput_title(const std::vector<CaseLine>& rows) {
  std::string unit;
  for (const CaseLine& row : rows) {
    const Timing& timing = row.record->timing;
    if (!timing.throughput) continue;
    if (!unit.empty() && unit != timing.throughput_unit) return "throughput";
    unit = timing.throughput_unit;
  }
  return unit.empty() ? "throughput" : fmt::format("throughput [{}]", unit);
}

void add_time_columns(std::vector<CaseColumn>& columns, const std::vector<CaseLine>& rows,
                      const TimeUnit& unit) {
  const auto time_cell = [&](const std::optional<double>& ms) {
    return number_cell(ms ? std::optional(*ms / unit.ms) : std::nullopt);
  };
  add_column(columns, rows, fmt::format("time [{}]", unit.name),
             [&](const CaseLine& row) { return time_cell(typical_ms(row.record->timing)); });
  if (std::ranges::any_of(rows, [](const CaseLine& row) { return !row.record->timing.warm_ms.empty(); }))
    add_column(columns, rows, fmt::format("cold [{}]", unit.name),
               [&](const CaseLine& row) { return time_cell(row.record->timing.cold_ms); });
  add_column(columns, rows, "warm runs", [](const CaseLine& row) {
    const std::size_t runs = row.record->timing.warm_ms.size();
    return CaseCell{runs == 0 ? "" : fmt::format("{}", runs), "", false};
  });
  const std::string throughput = throughput_title(rows);
  add_column(columns, rows, throughput, [&](const CaseLine& row) {
    CaseCell cell = number_cell(row.record->timing.throughput);
    if (!cell.text.empty() && throughput == "throughput")
      cell.text += " " + row.record->timing.throughput_unit;
    return cell;
  });
  add_column(columns, rows, "peak memory [MiB]", [](const CaseLine& row) {
    const auto& bytes = row.record->peak_rss_bytes;
    return number_cell(bytes ? std::optional(static_cast<double>(*bytes) / (1 << 20)) : std::nullopt);
  });
}

std::vector<CaseColumn> columns_of(const Results& results, const std::vector<CaseLine>& rows) {
  std::vector<CaseColumn> columns;
  add_column(columns, rows, "status", [](const CaseLine& row) {
    const bool ok = row.record->status == Status::ok;
    return CaseCell{to_string(row.record->status), row.record->reason, !ok};
  });
  add_column(columns, rows, "gate", gate_cell);
  for (const MetricColumn& column : metric_columns(results))
    add_column(
        columns, rows, column.title,
        [&](const CaseLine& row) { return metric_cell(*row.record, column.metric); }, column.metric);
  add_time_columns(columns, rows, time_unit(results));
  return columns;
}

PageCell page_cell(const CaseColumn& column, const CaseCell& cell) {
  std::string attributes = column.metric.empty() ? "" : fmt::format(" data-metric=\"{}\"", column.metric);
  if (!cell.hint.empty()) attributes += fmt::format(" title=\"{}\"", xml_escape(cell.hint));
  return {cell.text.empty() ? "n/a" : xml_escape(cell.text), cell.bad ? "bad" : "", std::move(attributes)};
}

}  // namespace

std::vector<PageCell> name_page_cells(const CaseNames& names, const std::string& case_name,
                                      const std::string& note) {
  const std::vector<std::string> titles = name_titles(names), cells = name_cells(names, case_name);
  std::vector<PageCell> found;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const bool opens = titles[i] == "method";
    found.push_back({xml_escape(cells[i]) + (opens ? note : ""), titles[i] == "axes" ? "" : "name",
                     opens ? " data-open" : ""});
  }
  return found;
}

std::string cases_table(const BundleContent& content) {
  const std::vector<CaseLine> rows = rows_of(content);
  if (rows.empty()) return "";
  const CaseNames names = name_cases(content.results);
  const std::vector<CaseColumn> columns = columns_of(content.results, rows);
  std::vector<std::string> titles = name_titles(names);
  for (const CaseColumn& column : columns) titles.push_back(column.title);
  PageTable table(std::move(titles));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Record& record = *rows[i].record;
    std::vector<PageCell> cells =
        name_page_cells(names, record.case_name, record.simulated ? " (simulated)" : "");
    for (const CaseColumn& column : columns) cells.push_back(page_cell(column, column.cells[i]));
    table.add(cells, case_attributes(record.case_name) + (rows[i].rank < SIZE_MAX ? " class=\"first\"" : ""));
  }
  return common_html(names.common) + table.html("all cases");
}

std::string value_rows_html(const char* label, const ValueRows& values, const Results& results) {
  const CaseLabels labels = label_cases(group_cases(results));
  std::vector<std::string> titles = {"case"};
  titles.insert(titles.end(), values.titles.begin(), values.titles.end());
  PageTable table(std::move(titles));
  for (const auto& [name, texts] : values.rows) {
    std::vector<PageCell> cells = {{xml_escape(labels.of.at(name))}};
    for (const std::string& text : texts) cells.push_back({text});
    table.add(cells, case_attributes(name));
  }
  return table.html_of_rows(label);
}

std::string tile_places_section(const Verdicts& verdicts, const TilesOfSide& tiles_of,
                                const std::string& lead) {
  constexpr std::size_t kMaxDrawnCases = 12;
  std::string text;
  std::size_t shown = 0;
  for (const CaseVerdicts& one : by_case(verdicts)) {
    const std::string& name = one.worst->case_name;
    const std::string maps = tile_comparison(tiles_of(name, false), tiles_of(name, true));
    if (!maps.empty() && ++shown <= kMaxDrawnCases)
      text += fmt::format("<h3>{}</h3>\n{}", xml_escape(name), maps);
  }
  if (shown > kMaxDrawnCases)
    text += fmt::format("<p class=\"dim\">and {} more</p>\n", counted(shown - kMaxDrawnCases, "case"));
  return page_section("places", "Where on the surface, tile by tile", text,
                      "Seen from above, x to the right, y down. " + lead);
}

}  // namespace aqbench
