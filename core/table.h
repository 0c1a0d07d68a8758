#pragma once
// Tables as plain text for a terminal, aligned by display width, in Markdown and in CSV. A table with a
// column that shrinks is as wide as requested, unless rows would look the same.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace aqbench {

// The terminal width that tables are designed for.
inline constexpr std::size_t kScreenColumns = 100;

// The alignment of a column.
enum class Align { left, right };

// The colour of a cell on a terminal.
enum class Colour { none, red, green, yellow, dim };

// A column of a table.
struct TableColumn {
  std::string header;  // lines separated by '\n'
  Align align = Align::left;
  bool shrinks = false;  // cells are cut in the middle ("undul…ed=43") if the table is too wide
};

// A cell of a table.
struct TableCell {
  std::string text;
  Colour colour = Colour::none;
};

// A table as data.
struct Table {
  std::vector<TableColumn> columns;
  std::vector<std::vector<TableCell>> rows;  // each has the size of `columns`
};

// Returns the table as lines ending with '\n', without trailing blanks. Control characters in cells become
// '?', so text from a file cannot steer the terminal. `colours` false: no escape sequences.
std::string render_table(const Table& table, bool colours = false, std::size_t max_columns = kScreenColumns);

// Returns the width of a table in screen columns if nothing is cut.
std::size_t table_width(const Table& table);

// Returns a row of a Markdown table; the cells must already be Markdown.
std::string md_row(const std::vector<std::string>& cells);

// Returns the header and rule of a Markdown table: the first `text_columns` columns are left-aligned, the
// others right-aligned.
std::string md_head(const std::vector<std::string>& titles, std::size_t text_columns);

// Returns a text as a field of a CSV file, in quotation marks where it holds separators or line breaks. What
// a spreadsheet would run as a formula, as it begins with = + - @, a tab or a line break, begins with an
// apostrophe. Numbers need none of this.
std::string csv_field(std::string_view text);

// Returns whether output to a descriptor is coloured: a terminal, TERM not "dumb", NO_COLOR unset or empty.
bool wants_colours(int descriptor);

// Returns the columns of the terminal behind a descriptor (at least 40, COLUMNS where it does not say); of a
// file or pipe, whose lines nothing cuts, a number beyond any line.
std::size_t screen_columns(int descriptor);

}  // namespace aqbench
