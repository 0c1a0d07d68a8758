#include "reports/html/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "core/drawing/drawing.h"
#include "core/sha256.h"
#include "core/text.h"

namespace aqbench {
namespace {

std::string hash_source(std::string_view script) {
  const std::string hex = sha256_hex(script);
  std::string bytes;
  for (std::size_t i = 0; i < hex.size(); i += 2)
    bytes += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
  return fmt::format("'sha256-{}'", base64_text(bytes));
}

// The scripts of a page, in the order in which they need each other.
std::vector<std::string_view> scripts_of(const PageParts& parts) {
  std::vector<std::string_view> names = {"report.js"};
  const auto add = [&](bool needed, std::initializer_list<std::string_view> more) {
    if (needed) names.insert(names.end(), more);
  };
  add(parts.plots, {"uPlot.iife.min.js", "plots.js", "plots_page.js"});
  add(parts.comparison, {"uPlot.iife.min.js", "plots.js", "ab_page.js"});
  add(parts.stages, {"bars.js", "stages_page.js"});
  add(parts.viewer,
      {"view_data.js", "viewer_camera.js", "viewer_gl.js", "viewer_plain.js", "viewer.js", "viewer_page.js"});
  for (std::string_view& name : names) name = page_asset(name);
  return names;
}

// JSON as it may stand inside of a script element.
std::string json_in_html(std::string_view json) {
  std::string safe;
  safe.reserve(json.size());
  for (const char c : json) safe += c == '<' ? std::string_view("\\u003c") : std::string_view(&c, 1);
  return safe;
}

// Whether cells below the title are text, which stands at the left.
bool is_of_text(std::string_view title) {
  constexpr std::string_view kTitles[] = {"scene",       "method",     "axes",
                                          "status",      "gate",       "worse than",
                                          "map",         "case",       "worst place",
                                          "worst value", "verdict",    "likely cause",
                                          "suite",       "metric",     "since run",
                                          "since when",  "commit",     "since the baseline",
                                          "commits",     "it is",      "over the runs",
                                          "newest run",  "what moved", "verdict or why none",
                                          "machine",     "report",     "kind",
                                          "stage",       "more",       "accepted run",
                                          "program",     "file",       "by",
                                          "when",        "cases"};
  return std::ranges::find(kTitles, title) != std::end(kTitles);
}

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

// The other values of a case that changed, folded; those that are counted everywhere, and apart those that
// only stand here.
std::string rest_of(const CaseVerdicts& one) {
  std::vector<std::string> lines;
  for (const VerdictRow* const row : one.rows)
    if (row != one.worst && changed(*row)) lines.push_back(value_line(*row));
  if (lines.empty()) return "";
  const std::size_t information = lines.size() - std::min(lines.size(), one.others);
  std::string count = one.others > 0 ? fmt::format("{} more", one.others) : "";
  if (information > 0) count += fmt::format("{}{} for information", count.empty() ? "" : ", ", information);
  return fmt::format("<details><summary>{}</summary>{}</details>", count, list_html(lines, kMaxValues));
}

std::vector<PageCell> cells_of(const CaseVerdicts& one, const std::string& name, const VerdictLink& link) {
  const VerdictRow& row = *one.worst;
  const VerdictCells cells = verdict_cells(row);
  const bool numbers = row.baseline && row.current;
  const auto linked = [&](bool after, const std::string& text) {
    return link ? link(row.case_name, after, xml_escape(text)) : xml_escape(text);
  };
  return {xml_escape(name),
          {xml_escape(verdict_label(row)), class_of(row)},
          xml_escape(numbers ? cells.what : verdict_row_text(row)),
          linked(false, cells.before),
          linked(true, cells.after),
          {xml_escape(cells.change), class_of(row)},
          xml_escape(cells.allowed),
          cells.size,
          rest_of(one)};
}

}  // namespace

std::string page_section(std::string_view id, std::string_view title, const std::string& body,
                         std::string_view explanation) {
  if (body.empty()) return "";
  const std::string lead = explanation.empty() ? "" : fmt::format("<p class=\"dim\">{}</p>\n", explanation);
  return fmt::format("<section id=\"{}\">\n<h2>{}</h2>\n{}{}</section>\n", id, title, lead, body);
}

std::string scripted_section(std::string_view id, std::string_view title, std::string_view explanation) {
  return fmt::format(
      "<section id=\"{}\" class=\"scripted\">\n<h2>{}</h2>\n<p class=\"dim\">{}</p>\n</section>\n", id, title,
      explanation);
}

std::string common_html(const std::string& common) {
  return common.empty() ? "" : fmt::format("<p class=\"dim\">All cases have {}.</p>\n", xml_escape(common));
}

std::string list_html(const std::vector<std::string>& items, std::size_t most) {
  std::string text;
  for (std::size_t i = 0; i < std::min(items.size(), most); ++i) text += "<li>" + items[i] + "</li>\n";
  if (items.size() > most) text += fmt::format("<li>and {} more</li>\n", items.size() - most);
  return text.empty() ? "" : "<ul>\n" + text + "</ul>\n";
}

std::string text_list(std::vector<std::string> lines, std::size_t most) {
  for (std::string& line : lines) line = xml_escape(line);
  return list_html(lines, most);
}

void PageTable::add(const std::vector<PageCell>& cells, const std::string& attributes) {
  if (++count_ > kMaxTableRows) return;
  rows_ += fmt::format("<tr{}>", attributes);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    std::string classes = i > 0 && is_of_text(titles_[i]) ? "text" : "";
    if (!cells[i].classes.empty()) classes += (classes.empty() ? "" : " ") + cells[i].classes;
    rows_ += i == 0 ? "<td" : fmt::format("<td data-label=\"{}\"", xml_escape(titles_[i]));
    if (!classes.empty()) rows_ += fmt::format(" class=\"{}\"", classes);
    rows_ += fmt::format("{}>{}</td>", cells[i].attributes, cells[i].html);
  }
  rows_ += "</tr>\n";
}

std::string PageTable::html(std::string_view label, std::string_view classes) const {
  std::string text = fmt::format(
      "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"{}\"><table "
      "class=\"{}\">\n<thead><tr>",
      xml_escape(label), classes);
  for (const std::string& title : titles_)
    text += fmt::format("<th scope=\"col\"{}>{}</th>",
                        title == "case"     ? " class=\"text case\""
                        : is_of_text(title) ? " class=\"text\""
                                            : "",
                        xml_escape(title));
  text += "</tr></thead>\n<tbody>\n" + rows_ + "</tbody></table></div>\n";
  if (count_ > kMaxTableRows)
    text += fmt::format("<p class=\"dim\">and {} more rows, in results.json</p>\n", count_ - kMaxTableRows);
  return text;
}

std::string case_attributes(const std::string& case_name, bool opens) {
  const std::string name = xml_escape(case_name);
  return (opens ? fmt::format(" data-case=\"{}\"", name) : "") + fmt::format(" title=\"{}\"", name);
}

std::string html_page(const PageParts& parts) {
  std::string policy;
  for (const std::string_view script : scripts_of(parts)) policy += " " + hash_source(script);
  std::string page = fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
      "content=\"width=device-width,initial-scale=1\">\n<meta http-equiv=\"Content-Security-Policy\" "
      "content=\"default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'; form-action "
      "'none'; script-src{}\">\n<title>{}</title>\n<style>{}{}{}</style>\n</head>\n<body>\n",
      policy, xml_escape(parts.title), page_asset("report.css"), chart_style(),
      parts.plots || parts.comparison ? page_asset("uPlot.min.css") : "");
  page += "<header>\n" + parts.header + "</header>\n<main>\n" + parts.body + "</main>\n";
  if (!parts.data_json.empty())
    page += "<script type=\"application/json\" id=\"aqbench-data\">" + json_in_html(parts.data_json) +
            "</script>\n";
  for (const auto& [id, bytes] : parts.blocks)
    page += fmt::format("<script type=\"text/plain\" id=\"{}\">", id) + base64_text(bytes) + "</script>\n";
  for (const std::string_view script : scripts_of(parts)) {
    page += "<script>";
    page += script;
    page += "</script>\n";
  }
  return page + "</body>\n</html>\n";
}

std::string banner_html(const Banner& banner) {
  const std::string word = banner.word.empty() ? "" : fmt::format("<b>{}</b> ", xml_escape(banner.word));
  std::string text = fmt::format("<div class=\"verdict {}\">\n<p>{}{}</p>\n", class_of(banner.kind), word,
                                 xml_escape(banner.title));
  if (!banner.detail.empty()) text += fmt::format("<p>{}</p>\n", xml_escape(banner.detail));
  if (!banner.origin.empty()) text += fmt::format("<p class=\"dim\">{}</p>\n", xml_escape(banner.origin));
  if (!banner.caution.empty()) text += fmt::format("<p><b>{}</b></p>\n", xml_escape(banner.caution));
  return text + "</div>\n";
}

std::string verdicts_html(const Verdicts& verdicts, const ShortNames& names, const std::string& label,
                          const std::string& before, const std::string& after, const VerdictLink& link) {
  std::vector<std::string> titles = {"case",   "verdict", "worst value", before, after,
                                     "change", "allowed", "size",        "more"};
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
  PageTable table(titles);
  for (std::size_t i = 0; i < cells.size(); ++i) table.add(cells[i], attributes[i]);
  std::string body = table.html_of_rows(label);
  if (std::ranges::find(titles, "size") != titles.end())
    body += fmt::format("<p class=\"dim\">{}</p>\n", kSizeNote);
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
