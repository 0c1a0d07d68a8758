#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "core/text.h"
#include "reports/document/document.h"

namespace aqbench {
namespace {

// An interval around zero, which stands in the middle of `columns`; what is allowed is between dotted lines.
std::string interval_line(const Chart::Row::Interval& row, double reach, std::size_t columns) {
  std::vector<std::string> cells(columns, " ");
  const auto at = [&](double value) {
    const double place = (value / reach + 1) / 2 * static_cast<double>(columns - 1);
    return static_cast<std::size_t>(std::lround(std::clamp(place, 0.0, static_cast<double>(columns - 1))));
  };
  for (const double edge : {row.least, row.most}) cells[at(edge)] = "┊";
  cells[at(0)] = "│";
  for (std::size_t i = at(row.low); i <= at(row.high); ++i) cells[i] = "─";
  cells[at(row.low)] = row.low < -reach ? "◄" : "├";
  cells[at(row.high)] = row.high > reach ? "►" : "┤";
  cells[at(row.estimate)] = "●";
  return fmt::format("{}", fmt::join(cells, ""));
}

// A line for each interval; where names are too long for that they stand on lines of their own.
std::string intervals_of(const Chart& chart, std::size_t width) {
  constexpr std::size_t kLeast = 21;
  std::size_t labels = 0, numbers = 0;
  for (const Chart::Row& row : chart.rows) {
    labels = std::max(labels, display_width(printable(row.label)));
    numbers = std::max(numbers, display_width(row.number));
  }
  const bool beside = labels + numbers + 4 + kLeast <= width;
  if (!beside) labels = 0;
  const double reach = interval_reach(chart);
  const std::size_t taken = labels + numbers + 4,
                    columns = width > taken + kLeast ? (width - taken - 1) | 1 : kLeast;
  const auto [low, high] = interval_ends(chart);
  std::string text = printable(chart.title) + "\n";
  if (low.size() + high.size() + 4 < columns) {
    const std::size_t middle = columns / 2;
    text += fmt::format("{:<{}}{:<{}}0{:>{}}\n", "", labels + 2, low, middle, high, columns - middle - 1);
  }
  for (const Chart::Row& row : chart.rows) {
    const std::string label = printable(row.label);
    text += beside ? label + std::string(labels - display_width(label), ' ') : wrap_text(label, width, 2);
    text += fmt::format("  {}  {}\n", interval_line(*row.interval, reach, columns), row.number);
  }
  return text + "\n";
}

// A table that is wider than the screen: below the names of each row its other cells, each behind its title.
// Lines end between cells alone.
std::string stacked(const Table& table, std::size_t width) {
  std::string text;
  for (const auto& row : table.rows) {
    std::size_t columns = 0;
    bool names = true;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const bool begins_values = names && table.columns[i].align == Align::right;
      names = names && !begins_values;
      if (row[i].text.empty()) continue;
      const std::string cell =
          printable(fmt::format("{}{}{}", names ? "" : title_of(table.columns[i]) + " ", row[i].text,
                                row[i].spread.empty() ? "" : " ± " + row[i].spread));
      const bool fits = !begins_values && columns + 2 + display_width(cell) <= width;
      text += columns == 0 ? "" : fits ? "  " : "\n  ";
      const std::string lines = wrap_text(cell, columns == 0 ? width : width - 2, 2);
      text.append(lines, 0, lines.size() - 1);
      columns = (fits ? columns : 0) + 2 + display_width(cell);
    }
    text += "\n";
  }
  if (table.left_out > 0) text += fmt::format("and {} more: {}\n", table.left_out, table.rest_in);
  return text;
}

struct TerminalWriter {
  const Screen& screen;

  std::string operator()(const Banner& banner) const {
    constexpr const char* kEscapes[] = {"", "\033[31m", "\033[32m", "\033[33m",
                                        ""};  // in the order of Colour
    const char* const escape = kEscapes[static_cast<std::size_t>(banner.colour)];
    const std::string text = wrapped(banner_line(banner), 2);
    if (!screen.colours || *escape == '\0') return text;
    const std::size_t end = banner.word.size();
    return fmt::format("{}{}\033[0m{}", escape, text.substr(0, end), text.substr(end));
  }

  std::string operator()(const Heading& heading) const { return "\n" + wrapped(heading.text, 2); }
  std::string operator()(const Paragraph& text) const {
    return text.text.empty() ? "" : wrapped(text.text, 2);
  }
  std::string operator()(const Lines& lines) const {
    std::string text;
    for (std::size_t i = 0; i < std::min(lines.items.size(), lines.most); ++i)
      text += wrapped(lines.items[i], 4);
    if (lines.items.size() > lines.most)
      text += fmt::format("... and {} more\n", lines.items.size() - lines.most);
    return text;
  }
  std::string operator()(const Command& command) const { return printable(command.text) + "\n"; }
  std::string operator()(const Table& whole) const {
    if (whole.rows.empty()) return "";
    Table table = whole;
    fit(table, [&] { return table_width(table) <= screen.width; });
    const bool fits = table_width(table, screen.width) <= screen.width;
    return (fits ? render_table(table, screen.colours, screen.width) : stacked(table, screen.width)) +
           (*this)(Paragraph{notes_of(table)});
  }
  std::string operator()(const Chart& chart) const {
    if (chart.rows.empty() || !chart.rows.front().interval) return "";
    return intervals_of(chart, std::min(screen.width, kScreenColumns));
  }
  std::string operator()(const Picture&) const { return ""; }

  std::string wrapped(const std::string& text, std::size_t indent) const {
    return wrap_text(printable(text), screen.width, indent);
  }
};

}  // namespace

Screen screen_of(int descriptor) { return {wants_colours(descriptor), screen_columns(descriptor)}; }

std::string terminal_of(const ReportBlock& block, const Screen& screen) {
  return std::visit(TerminalWriter{screen}, block);
}

std::string terminal_of(const std::vector<ReportBlock>& blocks, const Screen& screen) {
  std::string text;
  for (const ReportBlock& block : blocks) text += terminal_of(block, screen);
  return text;
}

std::string terminal_of(const Section& section, const Screen& screen) {
  const std::string body = terminal_of(section.blocks, screen);
  if (body.empty()) return "";
  std::string head = section.title + (section.note.empty() ? "" : ": " + section.note);
  std::erase(head, '`');
  return terminal_of(Heading{head}, screen) + body;
}

std::string banner_line(const Banner& banner) {
  std::string text = banner.word;
  text += fmt::format("{}{}", text.empty() ? "" : ": ", banner.title);
  if (!banner.detail.empty()) text += ". " + banner.detail;
  if (!banner.origin.empty()) text += "; " + banner.origin;
  if (!banner.caution.empty()) text += ". " + banner.caution;
  return text;
}

}  // namespace aqbench
