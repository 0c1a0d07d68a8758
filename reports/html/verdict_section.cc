#include "reports/html/verdict_section.h"

#include <fmt/format.h>

#include <vector>

#include "core/text.h"
#include "reports/html/page.h"

namespace aqbench {
namespace {

// Rows beyond these are counted: a page of thousands answers nothing.
constexpr std::size_t kMaxCaseRows = 200, kMaxValues = 60;

const char* class_of(Banner::Kind kind) {
  return kind == Banner::Kind::good   ? "good"
         : kind == Banner::Kind::bad  ? "bad"
         : kind == Banner::Kind::open ? "open"
                                      : "";
}

const char* class_of(const VerdictRow& row) {
  if (row.verdict == Verdict::open) return "open";
  return is_refused(row.verdict) ? "bad" : row.verdict == Verdict::improved ? "good" : "";
}

bool changed(const VerdictRow& row) {
  return row.verdict != Verdict::added && (row.verdict != Verdict::pass || row.baseline != row.current);
}

std::string verdict_cell(const std::string& label, const std::string& text, const std::string& classes = "") {
  return fmt::format("<td data-label=\"{}\"{}>{}</td>", label,
                     classes.empty() ? "" : fmt::format(" class=\"{}\"", classes), xml_escape(text));
}

std::string value_line(const VerdictRow& row) {
  return fmt::format("<li><span class=\"{}\">{}</span> {}</li>\n", class_of(row),
                     xml_escape(verdict_label(row)), xml_escape(verdict_row_text(row)));
}

// The other values of a case that changed, folded.
std::string rest_cell(const CaseVerdicts& one) {
  std::string lines;
  std::size_t count = 0;
  for (const VerdictRow* const row : one.rows)
    if (row != one.worst && changed(*row) && ++count <= kMaxValues) lines += value_line(*row);
  if (count == 0) return "<td data-label=\"more\"></td>";
  if (count > kMaxValues) lines += fmt::format("<li>and {} more</li>\n", count - kMaxValues);
  return fmt::format(
      "<td data-label=\"more\"><details><summary>{} more</summary><ul>\n{}</ul></details></td>", count,
      lines);
}

std::string case_row(const CaseVerdicts& one, const std::string& name, const std::string& before,
                     const std::string& after) {
  const VerdictRow& row = *one.worst;
  const VerdictCells cells = verdict_cells(row);
  const bool numbers = row.baseline && row.current;
  std::string text = fmt::format("<tr data-case=\"{0}\" title=\"{0}\"><td>{1}</td>",
                                 xml_escape(row.case_name), xml_escape(name));
  text += verdict_cell("verdict", verdict_label(row), class_of(row));
  text += verdict_cell("worst value", numbers ? cells.what : verdict_row_text(row), "text");
  text += verdict_cell(before, cells.before) + verdict_cell(after, cells.after);
  text += verdict_cell("change", cells.change, class_of(row)) + verdict_cell("allowed", cells.allowed);
  return text + rest_cell(one) + "</tr>\n";
}

}  // namespace

std::string banner_html(const Banner& banner) {
  std::string text = fmt::format("<div class=\"verdict {}\">\n<p><b>{}</b> {}</p>\n", class_of(banner.kind),
                                 xml_escape(banner.word), xml_escape(banner.title));
  if (!banner.detail.empty()) text += fmt::format("<p>{}</p>\n", xml_escape(banner.detail));
  if (!banner.origin.empty()) text += fmt::format("<p class=\"dim\">{}</p>\n", xml_escape(banner.origin));
  return text + "</div>\n";
}

std::string verdicts_section(const Verdicts& verdicts, const std::string& before, const std::string& after,
                             const std::string& explanation) {
  const ShortNames shortened = short_names_of(verdicts);
  std::string rows;
  std::size_t shown = 0, same = 0;
  for (const CaseVerdicts& one : by_case(verdicts)) {
    const bool is_same = one.worst->words.empty() && !changed(*one.worst) &&
                         !(one.worst->verdict == Verdict::added && one.worst->metric.empty());
    if (is_same)
      ++same;
    else if (++shown <= kMaxCaseRows)
      rows += case_row(one, shortened.of.at(one.worst->case_name), before, after);
  }
  std::string body = page_table(
      "verdicts", {"case", "verdict", "worst value", before, after, "change", "allowed", "more"}, rows);
  if (shown > kMaxCaseRows)
    body += fmt::format("<p class=\"dim\">and {} more, in summary.md</p>\n",
                        counted(shown - kMaxCaseRows, "case"));
  if (same > 0) body += fmt::format("<p class=\"dim\">{} as before.</p>\n", counted(same, "case"));
  for (const std::string& note : verdicts.notes)
    body += fmt::format("<p class=\"dim\">note: {}</p>\n", xml_escape(note));
  return page_section("verdicts", "Case by case", body, explanation);
}

}  // namespace aqbench
