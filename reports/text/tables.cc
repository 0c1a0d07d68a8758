#include "reports/text/tables.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/text.h"
#include "harness/records/numbers.h"
#include "reports/content/case_columns.h"
#include "reports/content/curves.h"
#include "reports/content/metrics_table.h"
#include "reports/content/times_table.h"

namespace aqbench {
namespace {

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

// Why cases failed, and why headline metrics of others are undefined.
Lines problem_lines(const std::vector<CaseGroup>& groups) {
  Lines lines;
  for (const CaseGroup& group : groups)
    for (const Record* record : group.records) {
      if (record->status != Status::ok)
        lines.items.push_back(
            fmt::format("{}  {}: {}", to_string(record->status), record->case_name, record->reason));
      else
        for (const std::string& line : undefined_lines(*record))
          lines.items.push_back(fmt::format("n/a  {}: {}", record->case_name, line));
    }
  return lines;
}

// Says a note that many cases have only once: "3 cases: ...".
Lines counted_lines(const std::map<std::string, std::size_t>& cases_of) {
  Lines lines;
  for (const auto& [what, count] : cases_of)
    lines.items.push_back(fmt::format("{}: {}", counted(count, "case"), what));
  return lines;
}

std::string screen_comparisons(const std::vector<AxisComparison>& comparisons, const Screen& screen) {
  if (comparisons.empty()) return "";
  Table table = comparisons_table(comparisons);
  drop_column(table, "throughput");
  drop_column(table, "note");
  std::map<std::string, std::size_t> cases_of;
  for (const AxisComparison& comparison : comparisons)
    if (!comparison.note.empty() && comparison.note != "first" && comparison.record->status == Status::ok)
      ++cases_of[comparison.note];
  return "\n" + terminal_of(table, screen) + terminal_of(counted_lines(cases_of), screen) +
         wrap_text(kComparisonsAreNotJudged, screen.width, 0);
}

Lines noise_lines(const Results& results) {
  std::map<std::string, std::size_t> cases_of;
  for (const Record& record : results.records)
    if (!record.timing.note.empty()) ++cases_of[record.timing.note];
  return counted_lines(cases_of);
}

std::string workloads_text(const Results& results, const Screen& screen) {
  const CaseNames labels = name_cases(results);
  Lines verdicts;
  for (const Record& record : results.records)
    if (!record.timing.verdict.empty())
      verdicts.items.push_back(labels.of.at(record.case_name).whole() + ": " + record.timing.verdict);
  const Table table = fitted(times_table(results), screen.width, {"max", "min", "warm"});
  return (labels.common.empty() ? "" : terminal_of(Paragraph{"all: " + labels.common}, screen)) +
         terminal_of(table, screen) + terminal_of(verdicts, screen) +
         screen_comparisons(compare_axes(results), screen) + terminal_of(noise_lines(results), screen);
}

}  // namespace

Table fitted(Table table, std::size_t width, std::initializer_list<std::string_view> dispensable) {
  for (const std::string_view one : dispensable)
    if (table_width(table) > width)
      drop_columns(table, [&](const TableColumn& column, std::size_t) {
        return (column.metric.empty() ? column.header : column.metric).starts_with(one);
      });
  return table;
}

std::string render_sweep_table(const Results& results, const Screen& screen) {
  const auto groups = method_groups(results);
  const bool has_workloads =
      std::ranges::any_of(results.records, [](const Record& record) { return !record.workload.empty(); });
  std::string text;
  if (!results.records.empty() && is_imported(results.records.front())) {
    for (const Table& table : method_tables(results, metric_columns(results)))
      text += printable(table.label) + "\n" + terminal_of(table, screen) + "\n";
  } else if (!groups.empty() || !has_workloads) {
    const auto [common, table] = groups_table(groups, true);
    if (!common.empty()) text += terminal_of(Paragraph{"all: " + common}, screen);
    // Names matter more than numbers: columns are left out until they fit. summary.md has all.
    text += terminal_of(
        fitted(table, screen.width,
               {"bias_mean_mm", "points_per_mm2", "accuracy_median_mm", "accuracy_rmse_mm", "precision_"}),
        screen);
    if (has_true_surface(results)) text += "Errors: distance of points to the true surface. n: seeds.\n";
    if (const Table used = programs_table(results); !used.rows.empty())
      text += "\n" +
              terminal_of(fitted(used, screen.width, {"involuntary", "switches", "major", "page faults"}),
                          screen) +
              terminal_of(Paragraph{kProgramRowsNote}, screen);
    text += terminal_of(protocols_table(results), screen);
    text += terminal_of(curves_section(results), screen);
  }
  text += terminal_of(problem_lines(group_cases(results)), screen);
  if (has_workloads) text += (text.empty() ? "" : "\n") + workloads_text(results, screen);
  if (!results.run.complete)
    text += fmt::format("interrupted: {} of {} cases\n", results.records.size(), results.run.planned_cases);
  return text;
}

}  // namespace aqbench
