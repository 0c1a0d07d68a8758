#include <fmt/format.h>

#include <algorithm>

#include "core/text.h"
#include "harness/records/numbers.h"
#include "reports/content/case_columns.h"
#include "reports/content/curves.h"
#include "reports/content/metrics_table.h"
#include "reports/text/tables.h"

namespace aqbench {
namespace {

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

}  // namespace

std::string render_sweep_table(const Results& results, const Screen& screen) {
  const auto groups = method_groups(results);
  std::string text;
  if (!results.records.empty() && is_imported(results.records.front())) {
    for (const Table& table : method_tables(results, metric_columns(results)))
      text += printable(table.label) + "\n" + terminal_of(table, screen) + "\n";
  } else if (!groups.empty() || !has_workloads(results)) {
    const auto [common, table] = groups_table(groups, true);
    if (!common.empty()) text += terminal_of(Paragraph{"all: " + common}, screen);
    // Names matter more than numbers: columns are left out until they fit. summary.md has all.
    text += terminal_of(fitted(table, screen.width,
                               {"bias_mean_mm", "points_per_mm2", "accuracy_median_mm", "accuracy_rmse_mm",
                                "precision_"}),
                        screen) +
            legend(results);
    text += render_program_table(results, screen);
    text += terminal_of(protocols_table(results), screen);
    text += terminal_of(curves_section(results), screen);
  }
  text += terminal_of(problem_lines(group_cases(results)), screen);
  const std::string workloads = render_workload_table(results, screen);
  text += (text.empty() || workloads.empty() ? "" : "\n") + workloads;
  if (!results.run.complete)
    text += fmt::format("interrupted: {} of {} cases\n", results.records.size(), results.run.planned_cases);
  return text;
}

}  // namespace aqbench
