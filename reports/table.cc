#include "reports/table.h"

#include <fmt/format.h>
#include <locale.h>
#include <unistd.h>
#include <wchar.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <numeric>

namespace aqbench {
namespace {

struct Character {
  std::string_view bytes;  // as they stand in the text
  char32_t code = 0;       // U+FFFD for broken UTF-8
};

// The character at the start of `text`, which is not empty; a broken sequence is one byte.
Character first_character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned lead = byte(0);
  if (lead < 0x80) return {text.substr(0, 1), lead};
  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < length) return {text.substr(0, 1), U'\uFFFD'};
  char32_t code = lead & (0x7Fu >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0u) != 0x80u) return {text.substr(0, 1), U'\uFFFD'};
    code = code << 6 | (byte(i) & 0x3Fu);
  }
  constexpr char32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  if (code < kLeast[length] || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF))
    return {text.substr(0, 1), U'\uFFFD'};
  return {text.substr(0, length), code};
}

std::vector<Character> characters_of(std::string_view text) {
  std::vector<Character> characters;
  while (!text.empty()) {
    characters.push_back(first_character(text));
    text.remove_prefix(characters.back().bytes.size());
  }
  return characters;
}

// glibc's own table of widths, whatever locale the process runs in; 1 where that is not to be had.
std::size_t width_of(char32_t code) {
  if (code < 0x7F) return 1;
  static const locale_t utf8 = ::newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr);
  if (utf8 == nullptr) return 1;
  const locale_t previous = ::uselocale(utf8);
  const int width = ::wcwidth(static_cast<wchar_t>(code));
  ::uselocale(previous);
  return width < 0 ? 1 : static_cast<std::size_t>(width);
}

// C0, DEL, C1, and the marks that reorder or break lines.
bool steers_terminal(char32_t code) {
  return code < 0x20 || (code >= 0x7F && code < 0xA0) || (code >= 0x202A && code <= 0x202E) ||
         (code >= 0x2066 && code <= 0x2069) || code == 0x2028 || code == 0x2029;
}

std::vector<std::string> split_lines(const std::string& text) {
  std::vector<std::string> lines(1);
  for (const char c : text)
    if (c == '\n')
      lines.emplace_back();
    else
      lines.back() += c;
  return lines;
}

const char* escape_of(Colour colour) {
  switch (colour) {
    case Colour::red:
      return "\033[31m";
    case Colour::green:
      return "\033[32m";
    case Colour::yellow:
      return "\033[33m";
    case Colour::dim:
      return "\033[2m";
    case Colour::none:
      break;
  }
  return "";
}

struct Layout {
  std::vector<std::vector<std::string>> headers;  // per column, its lines
  std::vector<std::vector<std::string>> cells;    // per row, printable
  std::vector<std::size_t> widths;
  std::size_t header_lines = 0;
};

std::size_t total_width(const std::vector<std::size_t>& widths) {
  return std::accumulate(widths.begin(), widths.end(), 2 * (widths.empty() ? 0 : widths.size() - 1));
}

// Takes columns away from the widest shrinking column until the table fits or none can give.
void shrink_to(std::size_t max_columns, const Table& table, std::vector<std::size_t>& widths) {
  constexpr std::size_t kLeast = 8;
  std::size_t total = total_width(widths);
  while (total > max_columns) {
    std::size_t* widest = nullptr;
    for (std::size_t c = 0; c < widths.size(); ++c)
      if (table.columns[c].shrinks && widths[c] > kLeast && (widest == nullptr || widths[c] > *widest))
        widest = &widths[c];
    if (widest == nullptr) return;
    --*widest;
    --total;
  }
}

Layout lay_out(const Table& table, std::size_t max_columns) {
  Layout layout;
  layout.widths.assign(table.columns.size(), 0);
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    layout.headers.push_back(split_lines(table.columns[c].header));
    layout.header_lines = std::max(layout.header_lines, layout.headers.back().size());
    for (const std::string& line : layout.headers.back())
      layout.widths[c] = std::max(layout.widths[c], display_width(line));
  }
  for (const auto& row : table.rows) {
    auto& texts = layout.cells.emplace_back();
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
      texts.push_back(c < row.size() ? printable(row[c].text) : std::string());
      layout.widths[c] = std::max(layout.widths[c], display_width(texts.back()));
    }
  }
  shrink_to(max_columns, table, layout.widths);
  return layout;
}

void append_cell(std::string& line, std::string text, std::size_t width, Align align, const char* escape) {
  text = elide_middle(text, width);
  const std::string padding(width - std::min(width, display_width(text)), ' ');
  if (*escape != '\0' && !text.empty()) text = escape + text + "\033[0m";
  line += align == Align::left ? text + padding : padding + text;
}

void append_line(std::string& out, std::string line, std::size_t max_columns) {
  while (line.ends_with(' ')) line.pop_back();
  // Only a table whose columns cannot shrink gets here; whole lines are cut rather than wrapped.
  if (line.find('\033') == line.npos) line = elide_middle(line, max_columns);
  out += line + '\n';
}

}  // namespace

std::size_t display_width(std::string_view utf8) {
  std::size_t width = 0;
  for (const Character& character : characters_of(utf8)) width += width_of(character.code);
  return width;
}

std::string printable(std::string_view utf8) {
  std::string text;
  for (const Character& character : characters_of(utf8)) {
    const bool broken = character.code == U'\uFFFD' && character.bytes.size() == 1;
    if (broken || steers_terminal(character.code))
      text += '?';
    else
      text += character.bytes;
  }
  return text;
}

std::string elide_middle(std::string_view utf8, std::size_t columns) {
  if (display_width(utf8) <= columns) return std::string(utf8);
  if (columns == 0) return "";
  const auto characters = characters_of(utf8);
  std::size_t front_columns = columns / 2, back_columns = columns - 1 - front_columns;
  std::string front, back;
  for (const Character& character : characters) {
    const std::size_t width = width_of(character.code);
    if (width > front_columns) break;
    front_columns -= width;
    front += character.bytes;
  }
  for (auto character = characters.rbegin(); character != characters.rend(); ++character) {
    const std::size_t width = width_of(character->code);
    if (width > back_columns) break;
    back_columns -= width;
    back.insert(0, character->bytes);
  }
  return front + "…" + back;
}

std::size_t table_width(const Table& table) {
  return total_width(lay_out(table, std::numeric_limits<std::size_t>::max()).widths);
}

std::string render_table(const Table& table, bool colours, std::size_t max_columns) {
  const Layout layout = lay_out(table, max_columns);
  std::string out;
  for (std::size_t i = 0; i < layout.header_lines; ++i) {
    std::string line;
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
      const auto& header = layout.headers[c];
      if (c > 0) line += "  ";
      append_cell(line, i < header.size() ? header[i] : "", layout.widths[c], table.columns[c].align, "");
    }
    append_line(out, line, max_columns);
  }
  std::string rule;
  for (std::size_t c = 0; c < layout.widths.size(); ++c)
    rule += (c > 0 ? "  " : "") + std::string(layout.widths[c], '-');
  append_line(out, rule, max_columns);
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    std::string line;
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
      if (c > 0) line += "  ";
      const Colour colour = colours && c < table.rows[r].size() ? table.rows[r][c].colour : Colour::none;
      append_cell(line, layout.cells[r][c], layout.widths[c], table.columns[c].align, escape_of(colour));
    }
    append_line(out, line, max_columns);
  }
  return out;
}

std::string wrap_text(std::string_view utf8, std::size_t columns, std::size_t indent) {
  std::string out, line;
  std::size_t width = 0, word_start = 0;  // of `line`; word_start: where its last word begins
  for (const Character& character : characters_of(utf8)) {
    const std::size_t step = width_of(character.code);
    if (width + step > columns) {
      // Take the unfinished word along, unless it began the line.
      const bool breaks_at_blank = character.bytes != " " && line.find_first_not_of(' ') < word_start;
      const std::string carried = breaks_at_blank ? line.substr(word_start) : std::string();
      if (breaks_at_blank) line.resize(word_start);
      while (line.ends_with(' ')) line.pop_back();
      out += line + '\n';
      line = std::string(indent, ' ') + carried;
      width = display_width(line);
      word_start = indent;
      if (character.bytes == " ") continue;
    }
    line += character.bytes;
    width += step;
    if (character.bytes == " ") word_start = line.size();
  }
  while (line.ends_with(' ')) line.pop_back();
  return out + line + '\n';
}

std::string counted(std::size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string short_number(double value) {
  if (!std::isfinite(value)) return "not finite";
  if (std::abs(value) < 1e15 && value == std::trunc(value)) return fmt::format("{:.0f}", value);
  return std::abs(value) >= 1e5 ? fmt::format("{:.0f}", value) : fmt::format("{:.5g}", value);
}

bool wants_colours(int descriptor) {
  const char* const no_color = std::getenv("NO_COLOR");
  const char* const terminal = std::getenv("TERM");
  const bool dumb = terminal == nullptr || std::string_view(terminal) == "dumb";
  return (no_color == nullptr || *no_color == '\0') && !dumb && ::isatty(descriptor) == 1;
}

}  // namespace aqbench
