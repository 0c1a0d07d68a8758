#pragma once
// Tables as data, and as plain text for a terminal, aligned by display width. A table with a column that
// shrinks is as wide as requested, unless rows would look the same. Other writers: reports/document/.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace aqbench {

// The terminal width that tables are designed for.
inline constexpr std::size_t kScreenColumns = 100;

// The alignment of a column.
enum class Align { left, right };

// The colour of a cell on a terminal.
enum class Colour { none, red, green, yellow, dim };

// What a page does with the cells of a column: names stay in sight, a case opens, a 3D view turns.
enum class ColumnRole { value, name, opens, turns, picture };

// A column of a table.
struct TableColumn {
  std::string header;  // lines separated by '\n', the second one is a unit
  Align align = Align::left;
  bool shrinks = false;  // cells are cut in the middle ("undul…ed=43") if the table is too wide
  ColumnRole role = ColumnRole::value;
  std::string metric = {};  // whose values the cells are
  std::string title = {};   // in place of the header where there is room, "mean error [mm]"
};

// A cell of a table. Its texts are plain, and each writer escapes them.
struct TableCell {
  std::string text;
  Colour colour = Colour::none;
  std::string spread = {};             // of a mean over seeds, "0.07"
  int place = 0;                       // among those that it is compared with: 1 is the best, 2 the second
  std::string hint = {};               // why it is n/a, or what it means
  std::vector<std::string> fold = {};  // lines that a reader opens; `hint` is their title
  std::string html = {};               // what a page shows in place of the text: a link or a picture
  std::string subject = {};            // the case that it is about, where not the row is; a click opens it
  std::string against = {};            // beside the best one
};

// What a row of a page is about.
struct TableSubject {
  std::string name;          // of a case, whole
  bool opens = false;        // a click shows the case
  bool leads = false;        // it failed or got worse
  std::string against = {};  // the case that it is compared with
};

// A table as data.
struct Table {
  std::vector<TableColumn> columns;
  std::vector<std::vector<TableCell>> rows = {};  // each has the size of `columns`
  std::vector<TableSubject> subjects = {};        // one for each row, or none
  std::string label = {};                         // what it holds, for who cannot see it
  std::size_t left_out = 0;                       // rows that there was no room for
  std::string rest_in = "results.json";           // where these are
  bool sortable = true;
  // How the titles or metrics of columns begin that a narrow screen leaves out, one after the other.
  std::vector<std::string> dispensable = {};
  // What columns are, by their titles: said below the table where they are shown.
  std::vector<std::pair<std::string, std::string>> notes = {};
};

// The most rows of one table: a large sweep would fill hundreds of megabytes.
inline constexpr std::size_t kMaxTableRows = 1000;

// Returns whether the table shows another row; if not, counts one as left out.
bool has_room(Table& table, std::size_t most = kMaxTableRows);

// Returns a table with these columns; those whose titles begin with ">" are numbers and stand at the right.
Table table_with(std::initializer_list<std::string_view> titles);
// Returns a row of cells without colours.
std::vector<TableCell> plain_row(std::vector<std::string> texts);
// Returns the title of a column where there is room: "cold [ms]" for "cold\nms".
std::string title_of(const TableColumn& column);

// Leaves out dispensable columns, one after the other, until the table fits.
void fit(Table& table, const std::function<bool()>& fits);
// Returns what the columns of the table are; "" where nothing is said of them.
std::string notes_of(const Table& table);

// Takes out the columns for which this holds of the column and its place.
void drop_columns(Table& table,
                  const std::function<bool(const TableColumn& column, std::size_t place)>& is_meant);
// Takes out all columns whose cells are `nothing`.
void drop_columns(Table& table, std::string_view nothing);

// Returns the table as lines ending with '\n', without trailing blanks; spreads stand below their means, and
// the best is marked. Control characters in cells become
// '?', so text from a file cannot steer the terminal. `colours` false: no escape sequences.
std::string render_table(const Table& table, bool colours = false, std::size_t max_columns = kScreenColumns);

// Returns the width of a table in screen columns, with its cells cut as far as they may be for `max_columns`.
std::size_t table_width(const Table& table, std::size_t max_columns = SIZE_MAX);

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

// Returns the columns for sentences: those of the terminal, at most kScreenColumns.
std::size_t page_columns(int descriptor);

}  // namespace aqbench
