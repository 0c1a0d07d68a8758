#pragma once
// Tables: as plain text for a terminal, aligned by display width and never wider than asked, and in Markdown.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace aqbench {

// The width of a terminal that tables are made for.
inline constexpr std::size_t kScreenColumns = 100;

// The side of its column that a text stands at.
enum class Align { left, right };

// The colour of a cell on a terminal.
enum class Colour { none, red, green, yellow, dim };

// A column of a table.
struct TableColumn {
  std::string header;  // lines separated by '\n'
  Align align = Align::left;
  bool shrinks = false;  // cells are cut in the middle ("undul…ed=43") when the table would be too wide
};

// A cell of a table.
struct TableCell {
  std::string text;
  Colour colour = Colour::none;
};

// A table as data.
struct Table {
  std::vector<TableColumn> columns;
  std::vector<std::vector<TableCell>> rows;  // each as long as `columns`
};

// Returns the table as lines that end with '\n', without trailing blanks. Control characters in cells show as
// '?', so that no text from a file can steer the terminal. `colours` false: no escape sequence at all.
std::string render_table(const Table& table, bool colours = false, std::size_t max_columns = kScreenColumns);

// Returns the number of screen columns that a table takes if nothing is shortened.
std::size_t table_width(const Table& table);

// Returns a row of a Markdown table; the cells are Markdown already.
std::string md_row(const std::vector<std::string>& cells);

// Returns the heading of a Markdown table and its rule: the first `text_columns` columns stand left, the
// others right.
std::string md_head(const std::vector<std::string>& titles, std::size_t text_columns);

// Returns whether to colour what is written to a descriptor: a terminal, TERM not "dumb", NO_COLOR unset or
// empty.
bool wants_colours(int descriptor);

}  // namespace aqbench
