#include "reports/text/tables.h"

#include <fmt/format.h>

#include "core/text.h"
#include "harness/records/numbers.h"
#include "reports/content/case_columns.h"
#include "reports/content/curves.h"
#include "reports/content/metrics_table.h"
#include "reports/content/run_sections.h"
#include "reports/content/verdict_text.h"

namespace aqbench {
namespace {

// Listed cases and reasons; others are counted.
constexpr std::size_t kMaxRows = 40;

// New cases by name; new metrics of known cases are counted, since a new metric is new in every case. Counts
// and extremes that changed are information.
Lines information_lines(const Verdicts& verdicts, const ShortNames& names, bool all) {
  Lines lines{{}, all ? SIZE_MAX : kMaxRows + 2};
  std::size_t metrics = 0, moved = 0;
  for (const VerdictRow& row : verdicts.rows) {
    if (row.verdict == Verdict::added && !row.metric.empty()) ++metrics;
    if (row.verdict == Verdict::added && row.metric.empty())
      lines.items.push_back(fmt::format("{:<14}  {}: {}", "new", names.of.at(row.case_name), row.reason));
    if (row.verdict == Verdict::pass && !row.reason.empty()) ++moved;
  }
  const auto count = [&](const char* what, std::size_t values, const char* kind, const char* text) {
    if (values > 0)
      lines.items.insert(lines.items.begin(),
                         fmt::format("{:<14}  {} {}", what, counted(values, kind), text));
  };
  if (!all) count("information", moved, "informational value", "changed: not gated (--all)");
  count("new", metrics, "metric", "of known cases not in the baseline: not gated");
  return lines;
}

}  // namespace

std::string render_sweep_table(const Results& results, const Screen& screen) {
  const auto groups = method_groups(results);
  std::vector<ReportBlock> blocks;
  if (!results.records.empty() && is_imported(results.records.front())) {
    for (Table& table : method_tables(results, metric_columns(results)))
      blocks.insert(blocks.end(), {Heading{table.label}, table});
  } else if (!groups.empty() || results.records.empty()) {
    auto [common, table] = groups_table(groups, true);
    blocks = {common_words(common), std::move(table)};
    if (has_true_surface(results))
      blocks.emplace_back(Paragraph{"Errors: distance of points to the true surface. n: seeds."});
  }
  std::string text = terminal_of(blocks, screen) + terminal_of(curves_section(results), screen);
  for (const Section& section : measured_sections(results)) text += terminal_of(section, screen);
  if (!results.run.complete)
    text += fmt::format("interrupted: {} of {} cases\n", results.records.size(), results.run.planned_cases);
  return text;
}

VerdictView terminal_view(bool all) {
  return {.rows = all ? VerdictView::Rows::all : VerdictView::Rows::worst,
          .reasons_apart = true,
          .most = all ? SIZE_MAX : kMaxRows};
}

std::string render_verdicts(const Verdicts& verdicts, bool all, const Screen& screen) {
  std::string text;
  for (const std::string& note : verdicts.notes) text += terminal_of(Paragraph{"note: " + note}, screen);
  if (verdicts.refusal.empty()) {
    const ShortNames names = short_names_of(verdicts);
    text += terminal_of(verdict_blocks(verdicts, names, terminal_view(all)), screen) + "\n" +
            terminal_of(information_lines(verdicts, names, all), screen);
  }
  return text + terminal_of(banner_of(verdicts), screen);
}

}  // namespace aqbench
