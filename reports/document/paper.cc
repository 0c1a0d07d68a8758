// Tables for papers and spreadsheets.
#include <fmt/format.h>
#include <fmt/ranges.h>

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

std::string latex_of(const Table& table) {
  const auto row_of = [](const std::vector<std::string>& cells) {
    return fmt::format("{} \\\\\n", fmt::join(cells, " & "));
  };
  std::string places;
  std::vector<std::string> cells;
  for (const TableColumn& column : table.columns) {
    places += column.align == Align::left ? 'l' : 'r';
    cells.push_back(latex_escape(title_of(column)));
  }
  std::string text =
      fmt::format("{}\\begin{{tabular}}{{{}}}\n\\toprule\n{}\\midrule\n",
                  table.label.empty() ? "" : "% " + latex_escape(table.label) + "\n", places, row_of(cells));
  for (const auto& row : table.rows) {
    cells.clear();
    for (const TableCell& cell : row) {
      std::string shown = latex_escape(cell.text);
      if (!cell.spread.empty()) shown += " $\\pm$ " + latex_escape(cell.spread);
      if (cell.place == 1) shown = fmt::format("\\textbf{{{}}}", shown);
      if (cell.place == 2) shown = fmt::format("\\underline{{{}}}", shown);
      cells.push_back(std::move(shown));
    }
    text += row_of(cells);
  }
  return text + "\\bottomrule\n\\end{tabular}\n";
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
