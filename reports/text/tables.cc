#include "reports/text/tables.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/text.h"
#include "reports/content/case_columns.h"
#include "reports/content/times_table.h"

namespace aqbench {
namespace {

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

}  // namespace

Table fitted(Table table, std::size_t width, std::initializer_list<std::string_view> dispensable) {
  for (const std::string_view one : dispensable)
    if (table_width(table) > width)
      drop_columns(table, [&](const TableColumn& column, std::size_t) {
        return (column.metric.empty() ? column.header : column.metric).starts_with(one);
      });
  return table;
}

std::string render_program_table(const Results& results, const Screen& screen) {
  const Table table = programs_table(results);
  if (table.rows.empty()) return "";
  return "\n" +
         terminal_of(fitted(table, screen.width, {"involuntary", "switches", "major", "page faults"}),
                     screen) +
         terminal_of(Paragraph{kProgramRowsNote}, screen);
}

bool has_workloads(const Results& results) {
  return std::ranges::any_of(results.records, [](const Record& record) { return !record.workload.empty(); });
}

std::string render_workload_table(const Results& results, const Screen& screen) {
  if (!has_workloads(results)) return "";
  const CaseLabels labels = label_cases(group_cases(results));
  Lines verdicts;
  for (const Record& record : results.records)
    if (!record.timing.verdict.empty())
      verdicts.items.push_back(labels.of.at(record.case_name) + ": " + record.timing.verdict);
  const Table table = fitted(times_table(results), screen.width, {"max", "min", "warm"});
  return (labels.common.empty() ? "" : terminal_of(Paragraph{"all: " + labels.common}, screen)) +
         terminal_of(table, screen) + terminal_of(verdicts, screen) +
         screen_comparisons(compare_axes(results), screen) + terminal_of(noise_lines(results), screen);
}

}  // namespace aqbench
