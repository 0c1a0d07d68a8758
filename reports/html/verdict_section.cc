#include "reports/html/verdict_section.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
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
  return row.verdict != Verdict::added && (row.verdict != Verdict::pass || !is_unchanged(row));
}

std::string value_line(const VerdictRow& row) {
  return fmt::format("<span class=\"{}\">{}</span> {}", class_of(row), xml_escape(verdict_label(row)),
                     xml_escape(verdict_row_text(row)));
}

// The other values of a case that changed, folded.
std::string rest_of(const CaseVerdicts& one) {
  std::vector<std::string> lines;
  for (const VerdictRow* const row : one.rows)
    if (row != one.worst && changed(*row)) lines.push_back(value_line(*row));
  if (lines.empty()) return "";
  return fmt::format("<details><summary>{} more</summary>{}</details>", lines.size(),
                     list_html(lines, kMaxValues));
}

std::vector<PageCell> cells_of(const CaseVerdicts& one, const std::string& name, const VerdictLink& link) {
  const VerdictRow& row = *one.worst;
  const VerdictCells cells = verdict_cells(row);
  const bool numbers = row.baseline && row.current;
  const auto linked = [&](bool after, const std::string& text) {
    return link ? link(row.case_name, after, xml_escape(text)) : xml_escape(text);
  };
  return {{xml_escape(name)},
          {xml_escape(verdict_label(row)), class_of(row)},
          {xml_escape(numbers ? cells.what : verdict_row_text(row))},
          {linked(false, cells.before)},
          {linked(true, cells.after)},
          {xml_escape(cells.change), class_of(row)},
          {xml_escape(cells.allowed)},
          {rest_of(one)}};
}

}  // namespace

std::string banner_html(const Banner& banner) {
  const std::string word = banner.word.empty() ? "" : fmt::format("<b>{}</b> ", xml_escape(banner.word));
  std::string text = fmt::format("<div class=\"verdict {}\">\n<p>{}{}</p>\n", class_of(banner.kind), word,
                                 xml_escape(banner.title));
  if (!banner.detail.empty()) text += fmt::format("<p>{}</p>\n", xml_escape(banner.detail));
  if (!banner.origin.empty()) text += fmt::format("<p class=\"dim\">{}</p>\n", xml_escape(banner.origin));
  return text + "</div>\n";
}

std::string verdicts_html(const Verdicts& verdicts, const ShortNames& names, const std::string& label,
                          const std::string& before, const std::string& after, const VerdictLink& link) {
  std::vector<std::string> titles = {"case", "verdict", "worst value", before,
                                     after,  "change",  "allowed",     "more"};
  std::vector<std::vector<PageCell>> cells;
  std::vector<std::string> attributes;
  std::size_t shown = 0, same = 0;
  for (const CaseVerdicts& one : by_case(verdicts)) {
    const bool is_same = one.worst->words.empty() && !changed(*one.worst) &&
                         !(one.worst->verdict == Verdict::added && one.worst->metric.empty());
    if (is_same) {
      ++same;
    } else if (++shown <= kMaxCaseRows) {
      cells.push_back(cells_of(one, names.of.at(one.worst->case_name), link));
      attributes.push_back(case_attributes(one.worst->case_name, !link));
    }
  }
  for (std::size_t i = titles.size(); i-- > 0;) {  // columns that no case fills
    const auto at = static_cast<std::ptrdiff_t>(i);
    if (std::ranges::any_of(cells, [&](const auto& row) { return !row[i].html.empty(); })) continue;
    titles.erase(titles.begin() + at);
    for (auto& row : cells) row.erase(row.begin() + at);
  }
  std::string rows;
  for (std::size_t i = 0; i < cells.size(); ++i) rows += table_row(titles, cells[i], attributes[i]);
  std::string body = page_table(label, titles, rows);
  if (shown > kMaxCaseRows)
    body += fmt::format("<p class=\"dim\">and {} more</p>\n", counted(shown - kMaxCaseRows, "case"));
  if (same > 0) body += fmt::format("<p class=\"dim\">{} as before.</p>\n", counted(same, "case"));
  for (const std::string& note : verdicts.notes)
    body += fmt::format("<p class=\"dim\">note: {}</p>\n", xml_escape(note));
  return body;
}

std::string verdicts_section(const Verdicts& verdicts, const std::string& before, const std::string& after,
                             const std::string& explanation) {
  return page_section("verdicts", "Case by case",
                      verdicts_html(verdicts, short_names_of(verdicts), "verdicts", before, after),
                      explanation);
}

}  // namespace aqbench
