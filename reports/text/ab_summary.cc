#include "reports/text/ab_summary.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "core/text.h"
#include "reports/content/environment_text.h"
#include "reports/text/ab_lines.h"
#include "reports/text/verdict_table.h"

namespace aqbench {
namespace {

// A row for each case, and behind it one for each further value that was judged in pairs.
Table judged_table(const AbReport& report) {
  std::vector<ListedValue> values;
  ShortNames names;
  for (const VerdictRow& row : report.verdicts.rows) {
    names.of[row.case_name] = row.case_name;
    if (!row.label.empty()) values.push_back({&row});
  }
  return values_table(values, names, "value", "A", "B");
}

std::string ab_stage_table(const AbCaseReport& one) {
  if (!one.time || one.time->stages.empty()) return {};
  std::string text = fmt::format("\n### Stages of {}\n\n", md_escape(one.name)) +
                     md_head({"stage", "self time", "A ms", "B ms", "change", "change ms"}, 2);
  for (const AbStageDecision& stage : one.time->stages) {
    std::vector<std::string> cells = {md_escape(stage.name), md_escape(ab_stage_text(stage))};
    for (std::string& cell : ab_stage_cells(stage)) cells.push_back(std::move(cell));
    text += md_row(cells);
  }
  return text;
}

std::string accuracy_table(const AbCaseReport& one) {
  std::string rows;
  for (const VerdictRow& row : one.accuracy) {
    if (row.metric.empty() || row.verdict == Verdict::pass) continue;
    const VerdictCells cells = verdict_cells(row);
    rows += md_row({md_escape(row.metric), md_escape(to_string(row.verdict)), cells.before, cells.after,
                    md_escape(row.unit)});
  }
  if (rows.empty()) return {};
  return fmt::format("\n### Metrics of {} that moved beyond their tolerance\n\n", md_escape(one.name)) +
         md_head({"metric", "change", "A", "B", "unit"}, 2) + rows;
}

std::string ab_verdict_table(const AbReport& report) {
  const Table table = judged_table(report);
  std::vector<std::string> cells;
  for (const TableColumn& column : table.columns) cells.push_back(column.header);
  std::string text = md_head(cells, 2);
  for (const auto& row : table.rows) {
    cells.clear();
    for (const TableCell& cell : row) cells.push_back(md_escape(cell.text));
    text += md_row(cells);
  }
  return text;
}

}  // namespace

std::string render_ab_summary(const AbDocument& document, const AbReport& report) {
  std::string text = fmt::format("**{}**\n\n# {} against {}\n\n", md_escape(banner_line(banner_of(report))),
                                 md_escape(document.b.label), md_escape(document.a.label));
  text += fmt::format("- A: {}\n- B: {}\n", md_escape(ab_side_line(document.a)),
                      md_escape(ab_side_line(document.b)));
  for (const std::string& note : report.notes) text += fmt::format("- note: {}\n", md_escape(note));
  if (report.validation)
    for (const std::string& line : validation_lines(*report.validation))
      text += fmt::format("- {}\n", md_escape(line));
  text += "\n" + ab_verdict_table(report);
  text += "\n<details><summary>settings, machine, statistics of each verdict</summary>\n\n";
  text += fmt::format("- {}\n- {}\n- run {}, UTC: {} to {}\n", md_escape(ab_units_line(document.run)),
                      md_escape(settings_line(document.settings)), md_escape(document.run.id),
                      md_escape(document.run.started_utc), md_escape(document.run.finished_utc));
  if (!document.environment->empty())
    text += fmt::format("- environment: {}\n", md_escape(environment_line(*document.environment)));
  if (document.settings.wall_time) text += fmt::format("- {}\n", md_escape(kFalseAlarmLine));
  for (const AbCaseReport& one : report.cases) {
    text += fmt::format("\n## {}: {}\n\n", md_escape(one.name), to_string(one.verdict));
    for (const std::string& line : ab_case_lines(one, document.settings))
      text += fmt::format("- {}\n", md_escape(line));
    text += ab_stage_table(one) + accuracy_table(one);
  }
  return text + "\n</details>\n";
}

std::string render_ab_table(const AbDocument& document, const AbReport& report, bool colours,
                            std::size_t width) {
  std::string text =
      fmt::format("A: {}\nB: {}\n", printable(ab_side_line(document.a)), printable(ab_side_line(document.b)));
  for (const std::string& note : report.notes) text += wrap_text("note: " + printable(note), width, 6);
  if (report.validation) {
    for (const std::string& line : validation_lines(*report.validation))
      text += wrap_text(printable(line), width, 2);
    return text + render_banner(banner_of(report), colours, width);
  }
  text += "\n" + render_table(judged_table(report), colours, width) + "\n";
  if (report.cases.size() > 1)
    for (const VerdictRow& row : report.verdicts.rows)
      if (!row.only_shown)
        text += wrap_text(
            printable(row.case_name + ": " + row.words + (row.reason.empty() ? "" : "; " + row.reason)),
            width, 2);
  return text + render_banner(banner_of(report), colours, width);
}

}  // namespace aqbench
