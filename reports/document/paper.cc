// Tables for papers and spreadsheets.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/text.h"
#include "reports/document/document.h"

namespace aqbench {

std::string latex_escape(std::string_view text) {
  std::string safe;
  for (const char c : printable(text)) {
    if (c == '\\')
      safe += "\\textbackslash{}";
    else if (c == '~' || c == '^')
      safe += fmt::format("\\{}{{}}", c);
    else if (std::string_view("&%$#_{}").find(c) != std::string_view::npos)
      safe += std::string("\\") + c;
    else
      safe += c;
  }
  return safe;
}

namespace {

// How many digits the numbers of a column have: before and behind the point, and of their uncertainties in
// units of the last one.
struct Digits {
  std::size_t whole = 1, decimals = 0, uncertainty = 0;
  bool negative = false;
};

// A number as a cell of siunitx; in braces what is none.
std::string number_cell(const TableCell& cell, Digits& most) {
  const auto value = parse_double(cell.text);
  if (!value || cell.text.find_first_not_of("-0123456789.") != std::string::npos)
    return fmt::format("{{{}}}", latex_escape(cell.text));
  const std::size_t point = std::min(cell.text.find('.'), cell.text.size());
  const std::size_t decimals = point == cell.text.size() ? 0 : cell.text.size() - point - 1;
  const bool negative = cell.text.starts_with('-');
  most.whole = std::max(most.whole, point - (negative ? 1 : 0));
  most.decimals = std::max(most.decimals, decimals);
  most.negative = most.negative || negative;
  std::string shown = cell.text;
  if (const auto spread = parse_double(cell.spread)) {
    const std::string text = fmt::format("{:.{}f}", *spread, decimals);
    std::string digits = text.substr(0, text.find('.'));
    if (decimals > 0) digits += text.substr(text.find('.') + 1);
    digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size() - 1));
    most.uncertainty = std::max(most.uncertainty, digits.size());
    shown += "(" + digits + ")";
  }
  return cell.place == 1   ? "\\bfseries " + shown
         : cell.place == 2 ? "{\\underline{\\num{" + shown + "}}}"
                           : shown;
}

std::string heading_of(const TableColumn& column) {
  const std::size_t end = column.header.find('\n');
  if (end == std::string::npos) return latex_escape(column.header);
  return fmt::format("\\shortstack{{{}\\\\{}}}", latex_escape(column.header.substr(0, end)),
                     latex_escape(column.header.substr(end + 1)));
}

std::string places_of(const TableColumn& column, const Digits& digits) {
  if (column.align == Align::left) return "l";
  return fmt::format("S[table-format={}{}.{}{}]", digits.negative ? "-" : "", digits.whole, digits.decimals,
                     digits.uncertainty > 0 ? fmt::format("({})", digits.uncertainty) : "");
}

}  // namespace

std::string latex_of(const Table& table) {
  std::vector<Digits> digits(table.columns.size());
  std::vector<std::vector<std::string>> rows(1);
  std::string places;
  for (const TableColumn& column : table.columns)
    rows[0].push_back(column.align == Align::left ? heading_of(column) : "{" + heading_of(column) + "}");
  for (const auto& row : table.rows) {
    auto& cells = rows.emplace_back();
    for (std::size_t i = 0; i < row.size(); ++i)
      cells.push_back(table.columns[i].align == Align::left ? latex_escape(row[i].text)
                                                            : number_cell(row[i], digits[i]));
  }
  for (std::size_t i = 0; i < digits.size(); ++i) places += places_of(table.columns[i], digits[i]);
  std::string text =
      fmt::format("{}{{\\small\\setlength{{\\tabcolsep}}{{3pt}}\n\\begin{{tabular}}{{{}}}\n\\toprule\n",
                  table.label.empty() ? "" : "% " + latex_escape(table.label) + "\n", places);
  for (std::size_t i = 0; i < rows.size(); ++i)
    text += fmt::format("{} \\\\\n{}", fmt::join(rows[i], " & "), i == 0 ? "\\midrule\n" : "");
  return text + "\\bottomrule\n\\end{tabular}}\n";
}

std::string csv_of(const Table& table) {
  std::vector<std::string> cells;
  for (const TableColumn& column : table.columns) cells.push_back(csv_field(title_of(column)));
  std::string text = fmt::format("{}\r\n", fmt::join(cells, ","));
  for (const auto& row : table.rows) {
    for (std::size_t i = 0; i < row.size(); ++i)
      cells[i] = table.columns[i].align == Align::right ? row[i].text : csv_field(row[i].text);
    text += fmt::format("{}\r\n", fmt::join(cells, ","));
  }
  return text;
}

}  // namespace aqbench
