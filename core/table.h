#pragma once
// Plain-text tables for a terminal: aligned by display width, never wider than asked.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace aqbench {

inline constexpr std::size_t kScreenColumns = 100;

enum class Align { left, right };
enum class Colour { none, red, green, yellow, dim };

struct TableColumn {
  std::string header;  // lines separated by '\n'
  Align align = Align::left;
  bool shrinks = false;  // cells are cut in the middle ("undul…ed=43") when the table would be too wide
};

struct TableCell {
  std::string text;
  Colour colour = Colour::none;
};

struct Table {
  std::vector<TableColumn> columns;
  std::vector<std::vector<TableCell>> rows;  // each as long as `columns`
};

// Lines end with '\n', without trailing blanks. Control characters in cells show as '?', so that no text from
// a file can steer the terminal. `colours` false: no escape sequence at all.
std::string render_table(const Table& table, bool colours = false, std::size_t max_columns = kScreenColumns);

// Columns that a table takes if nothing is shortened.
std::size_t table_width(const Table& table);

// Whether to colour what is written to a descriptor: a terminal, TERM not "dumb", NO_COLOR unset or empty.
bool wants_colours(int descriptor);

}  // namespace aqbench
