#pragma once
// A table of another tool: CSV with commas, semicolons or tabs, or JSON lines.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace aqbench {

// One line of a table: its number in the file, from 1, and its cells without blanks around them.
struct TableLine {
  std::size_t number = 0;
  std::vector<std::string> cells;
};

// A table as it was read. Lines without any text are left out.
struct NumberTable {
  std::vector<std::string> names;  // of the columns: the keys of JSON lines, in the order in which they come
  std::vector<TableLine> lines;    // of CSV its first line, too, which may be a header: `names` is empty then
};

// Reads the text of a table. JSON lines begin with "{"; null is an empty cell, and so is a key that a line
// lacks. CSV is that of RFC 4180 with the separator that its first line has: a tab, else a semicolon, else a
// comma; a byte order mark is skipped, and lines end with LF, CR LF or CR. Throws Error(input) "SOURCE:7:
// ..." for text that is not UTF-8, a quotation mark that does not end, and JSON that is no flat object.
NumberTable read_number_table(std::string_view text, const std::string& source);

}  // namespace aqbench
