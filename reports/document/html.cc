#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/text.h"
#include "reports/document/document.h"

namespace aqbench {
namespace {

const char* class_of(Colour colour) {
  constexpr const char* kClasses[] = {"", "bad", "good", "open", "dim"};  // in the order of Colour
  return kClasses[static_cast<std::size_t>(colour)];
}

std::string list_of(const std::vector<std::string>& items, std::size_t most) {
  std::string text;
  for (std::size_t i = 0; i < std::min(items.size(), most); ++i)
    text += "<li>" + xml_escape(items[i]) + "</li>\n";
  if (items.size() > most) text += fmt::format("<li>and {} more</li>\n", items.size() - most);
  return text.empty() ? "" : "<ul>\n" + text + "</ul>\n";
}

// Lines break neither inside of brackets nor before a percent sign: "+101 %", "(+97.6 .. +103 %)".
std::string unbroken(std::string_view escaped) {
  std::string html;
  bool inside = false;
  for (std::size_t i = 0; i < escaped.size(); ++i) {
    inside = escaped[i] == '(' || (inside && escaped[i] != ')');
    const bool holds = escaped[i] == ' ' && (inside || escaped.substr(i + 1).starts_with('%'));
    html += holds ? std::string_view("&nbsp;") : escaped.substr(i, 1);
  }
  return html;
}

std::string content_of(const TableColumn& column, const TableCell& cell) {
  constexpr std::size_t kMaxFolded = 60;
  std::string html = cell.html.empty() ? xml_escape(cell.text) : cell.html;
  if (column.align == Align::right && cell.html.empty()) html = unbroken(html);
  if (!cell.spread.empty()) html += " ± " + xml_escape(cell.spread);
  if (cell.place > 0 && cell.place <= 2)
    html = fmt::format("<{0}>{1}</{0}>", cell.place == 1 ? "strong" : "u", html);
  if (cell.fold.empty()) return html;
  return fmt::format("<details><summary>{}</summary>{}</details>", xml_escape(cell.hint),
                     list_of(cell.fold, kMaxFolded));
}

std::string cell_of(const TableColumn& column, const TableCell& cell, bool first, bool row_opens) {
  std::string html = first ? "<td" : fmt::format("<td data-label=\"{}\"", xml_escape(title_of(column)));
  std::string classes = !first && column.align == Align::left ? "text" : "";
  if (!cell.subject.empty())
    html += fmt::format(" data-case=\"{}\" data-against=\"{}\"", xml_escape(cell.subject),
                        xml_escape(cell.against));
  const bool is_name = column.role == ColumnRole::name || column.role == ColumnRole::opens;
  for (const char* const name :
       {is_name ? "name" : "", column.role == ColumnRole::picture ? "map" : "", class_of(cell.colour)})
    if (*name != '\0') classes += (classes.empty() ? "" : " ") + std::string(name);
  if (!classes.empty()) html += fmt::format(" class=\"{}\"", classes);
  if (column.role == ColumnRole::opens && row_opens) html += " data-open";
  if (column.role == ColumnRole::turns) html += " data-turn";
  if (!column.metric.empty() && row_opens)
    html += fmt::format(" data-metric=\"{}\"", xml_escape(column.metric));
  if (!cell.hint.empty() && cell.fold.empty()) html += fmt::format(" title=\"{}\"", xml_escape(cell.hint));
  return html + ">" + content_of(column, cell) + "</td>";
}

std::string row_of(const TableSubject& subject) {
  const std::string name = xml_escape(subject.name);
  std::string html = "<tr";
  if (subject.opens) html += fmt::format(" data-case=\"{}\"", name);
  if (!subject.against.empty()) html += fmt::format(" data-against=\"{}\"", xml_escape(subject.against));
  if (!name.empty() && subject.against.empty()) html += fmt::format(" title=\"{}\"", name);
  return html + (subject.leads ? " class=\"first\">" : ">");
}

std::string table_of(const Table& table) {
  if (table.rows.empty()) return "";
  std::string html = fmt::format(
      "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"{}\"><table class=\"{}cards "
      "unbroken\">\n<thead><tr>",
      xml_escape(table.label), table.sortable ? "lively " : "");
  for (const TableColumn& column : table.columns)
    html += fmt::format("<th scope=\"col\"{}>{}</th>",
                        column.header == "case"       ? " class=\"text case\""
                        : column.align == Align::left ? " class=\"text\""
                                                      : "",
                        xml_escape(title_of(column)));
  html += "</tr></thead>\n<tbody>\n";
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    const TableSubject subject = table.subjects.empty() ? TableSubject{} : table.subjects[r];
    html += row_of(subject);
    for (std::size_t c = 0; c < table.columns.size(); ++c)
      html += cell_of(table.columns[c], table.rows[r][c], c == 0, subject.opens);
    html += "</tr>\n";
  }
  html += "</tbody></table></div>\n";
  if (table.left_out > 0)
    html += fmt::format("<p class=\"dim\">and {} more rows, in {}</p>\n", table.left_out, table.rest_in);
  if (const std::string notes = notes_of(table); !notes.empty())
    html += fmt::format("<p class=\"dim\">{}</p>\n", xml_escape(notes));
  return html;
}

// Marks of a class between two values of an axis, in percent of its width.
struct Axis {
  double low, high;

  double at(double value) const { return high > low ? 100 * (value - low) / (high - low) : 50.0; }
  std::string mark(const char* kind, double from, double to) const {
    const auto [left, right] =
        std::minmax({std::clamp(at(from), 0.0, 100.0), std::clamp(at(to), 0.0, 100.0)});
    return fmt::format("<span class=\"{}\" style=\"left:{:.4g}%;width:{:.4g}%\"></span>", kind, left,
                       right - left);
  }
};

// A value before and after over what it may be; the smaller one stands at the left.
std::string move_of(const Banner::Move& move) {
  const double low = std::min({move.before, move.after, move.low}),
               high = std::max({move.before, move.after, move.high}), margin = 0.03 * (high - low);
  const Axis axis{low - margin, high + margin};
  std::string ends[] = {fmt::format("<span>{} before</span>", xml_escape(move.from)),
                        fmt::format("<span><b>{}</b> now</span>", xml_escape(move.to))};
  if (move.after < move.before) std::swap(ends[0], ends[1]);
  return fmt::format("<div class=\"move\">{}<span class=\"track\">{}{}{}{}</span>{}</div>\n", ends[0],
                     axis.mark("allowed", move.low, move.high), axis.mark("moved", move.before, move.after),
                     axis.mark("before", move.before, move.before), axis.mark("now", move.after, move.after),
                     ends[1]);
}

std::string banner_of(const Banner& banner) {
  const auto paragraph = [](const char* look, const std::string& text) {
    return text.empty() ? "" : fmt::format("<p{}>{}</p>\n", look, text);
  };
  const std::string word = banner.word.empty() ? "" : fmt::format("<b>{}</b> ", xml_escape(banner.word));
  std::string html =
      paragraph("", word + xml_escape(banner.title)) + paragraph("", xml_escape(banner.detail));
  if (banner.move) html += move_of(*banner.move);
  html += paragraph(" class=\"dim\"", xml_escape(banner.origin));
  for (const std::string& note : banner.notes) html += paragraph("", xml_escape(note));
  if (!banner.caution.empty()) html += fmt::format("<p><b>{}</b></p>\n", xml_escape(banner.caution));
  const bool pictured = !banner.picture.empty();
  if (pictured) html = fmt::format("<div>\n{}</div>\n{}", html, banner.picture);
  return fmt::format("<div class=\"verdict {}{}\">\n{}</div>\n", class_of(banner.colour),
                     pictured ? " pictured" : "", html);
}

// An interval over zero and what is allowed.
std::string interval_of(const Chart::Row::Interval& row, Colour colour, double reach) {
  const Axis axis{-reach, reach};
  return fmt::format("<span class=\"track interval {}\">{}{}{}{}</span>", class_of(colour),
                     axis.mark("allowed", row.least, row.most), axis.mark("before", 0, 0),
                     axis.mark("moved", row.low, row.high), axis.mark("now", row.estimate, row.estimate));
}

std::string lane_of(const Chart& chart, const Chart::Row& row) {
  if (row.interval) return interval_of(*row.interval, row.colour, interval_reach(chart));
  std::string html;
  for (const Chart::Bar& bar : row.bars)
    html += fmt::format("<span class=\"bar\"{} style=\"--w:{:.4g}{}\"></span>",
                        bar.tip.empty() ? "" : fmt::format(" title=\"{}\"", xml_escape(bar.tip)),
                        chart.most > 0 ? std::clamp(bar.value / chart.most, 0.0, 1.0) : 0.0,
                        bar.colour.empty() ? "" : ";background:" + bar.colour);
  return html;
}

// Rows of HTML as wide as the page, not a drawing. The name of a scene stands once.
std::string chart_of(const Chart& chart) {
  constexpr std::size_t kMaxRows = 60;
  if (chart.rows.empty()) return "";
  std::string html = "<div class=\"barlist\">\n";
  if (!chart.note.empty())
    html += fmt::format("<h3>{}<span class=\"dim\">{}</span></h3>\n", xml_escape(chart.title),
                        xml_escape(chart.note));
  for (const auto& [name, colour] : chart.keys)
    html += fmt::format("{}<span class=\"barkey\"><i style=\"background:{}\"></i>{}</span> {}",
                        name == chart.keys.front().first ? "<p class=\"barkeys\">" : "", colour,
                        xml_escape(name), name == chart.keys.back().first ? "</p>\n" : "");
  if (chart.rows.front().interval) {
    const auto [better, worse] = interval_ends(chart);
    html += fmt::format(
        "<div class=\"barrow dim\"><span></span><span class=\"barlane\"><span class=\"ends\"><span>{}</span>"
        "<span>0</span><span>{}</span></span><span class=\"barnumber\"></span></span></div>\n",
        xml_escape(better), xml_escape(worse));
  }
  for (std::size_t i = 0; i < std::min(chart.rows.size(), kMaxRows); ++i) {
    const Chart::Row& row = chart.rows[i];
    if (!row.scene.empty() && (i == 0 || row.scene != chart.rows[i - 1].scene))
      html += fmt::format("<div class=\"barscene\">{}</div>\n", xml_escape(row.scene));
    html += fmt::format(
        "<div class=\"barrow\" title=\"{}\"><span class=\"barlabel\">{}</span><span "
        "class=\"barlane\">{}<span "
        "class=\"barnumber\">{}</span></span></div>\n",
        xml_escape(row.tip), xml_escape(row.label), lane_of(chart, row), xml_escape(row.number));
  }
  html += "</div>\n";
  if (chart.rows.size() > kMaxRows)
    html += fmt::format("<p class=\"dim\">and {} more</p>\n", chart.rows.size() - kMaxRows);
  return html;
}

struct HtmlWriter {
  std::string operator()(const Banner& banner) const { return banner_of(banner); }
  std::string operator()(const Heading& heading) const {
    return fmt::format("<h3>{}</h3>\n", xml_escape(heading.text));
  }
  std::string operator()(const Paragraph& text) const {
    return text.text.empty() ? "" : fmt::format("<p class=\"dim\">{}</p>\n", xml_escape(text.text));
  }
  std::string operator()(const Lines& lines) const { return list_of(lines.items, lines.most); }
  std::string operator()(const Command& command) const {
    return fmt::format("<pre>{}</pre>\n", xml_escape(command.text));
  }
  std::string operator()(const Table& table) const { return table_of(table); }
  std::string operator()(const Chart& chart) const { return chart_of(chart); }
  std::string operator()(const Picture& picture) const { return picture.html; }
};

}  // namespace

double interval_reach(const Chart& chart) {
  std::vector<double> ends;
  double most = 0;
  for (const Chart::Row& row : chart.rows)
    if (row.interval) {
      for (const double end : {row.interval->low, row.interval->high})
        if (std::isfinite(end)) ends.push_back(std::abs(end));
      most = std::max({most, std::abs(row.interval->least), std::abs(row.interval->most)});
    }
  std::ranges::sort(ends);
  if (ends.empty()) return most > 0 ? 2 * most : 1;
  // One case that is far off leaves the others to be seen.
  const double reach = 1.1 * std::max(most, std::min(ends.back(), 4 * ends[ends.size() / 2]));
  return reach > 0 ? reach : 1;
}

std::pair<std::string, std::string> interval_ends(const Chart& chart) {
  const double rounded = parse_double(fmt::format("{:.2g}", interval_reach(chart))).value();
  const std::string size = short_number(rounded) + " " + chart.unit;
  return {size + " better", size + " worse"};
}

std::string html_words(std::string_view words) {
  std::string html;
  bool code = false;
  for (const std::string_view part : split_at(words, '`')) {
    html += code ? fmt::format("<code>{}</code>", xml_escape(part)) : xml_escape(part);
    code = !code;
  }
  return html;
}

TableCell html_cell(std::string html, Colour colour) {
  TableCell cell{"", colour};
  cell.html = std::move(html);
  return cell;
}

std::string html_of(const ReportBlock& block) { return std::visit(HtmlWriter{}, block); }

std::string html_of(const Section& section) {
  std::string body;
  for (const ReportBlock& block : section.blocks) body += html_of(block);
  if (body.empty()) return "";
  if (!section.fold.empty())
    body = fmt::format("<details><summary>{}</summary>\n{}</details>\n", xml_escape(section.fold), body);
  const std::string note =
      section.note.empty() ? "" : fmt::format("<p class=\"dim\">{}</p>\n", html_words(section.note));
  return fmt::format("<section id=\"{}\">\n<h2>{}</h2>\n{}{}</section>\n", xml_escape(section.id),
                     xml_escape(section.title), note, body);
}

}  // namespace aqbench
