#include "core/table.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <set>
#include <string_view>

#include "core/text.h"

namespace aqbench {
namespace {

// In the order of Colour.
constexpr const char* kEscapes[] = {"", "\033[31m", "\033[32m", "\033[33m", "\033[2m"};

struct Layout {
  std::vector<std::vector<std::string_view>> headers;  // lines of each column
  std::vector<std::vector<std::string>> cells;         // printable cells of each row
  std::vector<std::vector<std::string>> spreads;       // of each row; empty where it has none
  std::vector<std::size_t> widths;
  std::size_t header_lines = 0;
};

std::size_t total_width(const std::vector<std::size_t>& widths) {
  return std::accumulate(widths.begin(), widths.end(), 2 * (widths.empty() ? 0 : widths.size() - 1));
}

constexpr std::size_t kLeast = 8;            // minimum width of a cut cell
constexpr std::size_t kRowsToldApart = 500;  // longer tables are not read cell by cell

// Returns the least width at which different cells stay different when cut.
std::size_t least_width(const Layout& layout, std::size_t column) {
  std::set<std::string_view> texts;
  for (const auto& row : layout.cells) texts.insert(row[column]);
  std::size_t width = layout.widths[column];
  for (; width > kLeast; --width) {
    std::set<std::string> cut;
    for (const std::string_view text : texts)
      if (!cut.insert(elide_middle(text, width - 1)).second) return width;
  }
  return width;
}

// Narrows the widest shrinkable column repeatedly, until the table fits or no column can shrink: what is
// wider then is whole, and a terminal wraps it.
void shrink_to(std::size_t max_columns, const Table& table, Layout& layout) {
  std::vector<std::size_t>& widths = layout.widths;
  std::size_t total = total_width(widths);
  if (total <= max_columns) return;
  std::vector<std::size_t> least(widths.size(), kLeast);
  for (std::size_t c = 0; c < widths.size(); ++c)
    if (table.columns[c].shrinks && layout.cells.size() <= kRowsToldApart) least[c] = least_width(layout, c);
  while (total > max_columns) {
    std::size_t* widest = nullptr;
    for (std::size_t c = 0; c < widths.size(); ++c)
      if (table.columns[c].shrinks && widths[c] > least[c] && (widest == nullptr || widths[c] > *widest))
        widest = &widths[c];
    if (widest == nullptr) break;
    --*widest;
    --total;
  }
}

Layout lay_out(const Table& table, std::size_t max_columns) {
  Layout layout;
  layout.widths.assign(table.columns.size(), 0);
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    layout.headers.push_back(split_at(table.columns[c].header, '\n'));
    layout.header_lines = std::max(layout.header_lines, layout.headers.back().size());
    for (const std::string_view line : layout.headers.back())
      layout.widths[c] = std::max(layout.widths[c], display_width(line));
  }
  for (const auto& row : table.rows) {
    auto &texts = layout.cells.emplace_back(), &spreads = layout.spreads.emplace_back();
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
      const TableCell cell = c < row.size() ? row[c] : TableCell{};
      texts.push_back((cell.place == 1 ? "*" : "") + printable(cell.text));
      spreads.push_back(cell.spread.empty() ? "" : "±" + printable(cell.spread));
      layout.widths[c] =
          std::max({layout.widths[c], display_width(texts.back()), display_width(spreads.back())});
    }
    if (std::ranges::all_of(spreads, &std::string::empty)) spreads.clear();
  }
  shrink_to(max_columns, table, layout);
  return layout;
}

void append_cell(std::string& line, std::string text, std::size_t width, Align align, const char* escape) {
  text = elide_middle(text, width);
  const std::string padding(width - std::min(width, display_width(text)), ' ');
  if (*escape != '\0' && !text.empty()) text = escape + text + "\033[0m";
  line += align == Align::left ? text + padding : padding + text;
}

void append_line(std::string& out, std::string line) {
  while (line.ends_with(' ')) line.pop_back();
  out += line + '\n';
}

}  // namespace

std::size_t table_width(const Table& table, std::size_t max_columns) {
  return total_width(lay_out(table, max_columns).widths);
}

std::string render_table(const Table& table, bool colours, std::size_t max_columns) {
  const Layout layout = lay_out(table, max_columns);
  std::string out;
  for (std::size_t i = 0; i < layout.header_lines; ++i) {
    std::string line;
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
      const auto& header = layout.headers[c];
      if (c > 0) line += "  ";
      append_cell(line, std::string(i < header.size() ? header[i] : ""), layout.widths[c],
                  table.columns[c].align, "");
    }
    append_line(out, line);
  }
  std::string rule;
  for (std::size_t c = 0; c < layout.widths.size(); ++c)
    rule += (c > 0 ? "  " : "") + std::string(layout.widths[c], '-');
  append_line(out, rule);
  const auto append_row = [&](const std::vector<std::string>& texts, const auto& colour_of) {
    std::string line;
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
      if (c > 0) line += "  ";
      const Colour colour = colours ? colour_of(c) : Colour::none;
      append_cell(line, texts[c], layout.widths[c], table.columns[c].align,
                  kEscapes[static_cast<std::size_t>(colour)]);
    }
    append_line(out, line);
  };
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    append_row(layout.cells[r], [&, &row = table.rows[r]](std::size_t c) {
      if (c >= row.size()) return Colour::none;
      return row[c].colour == Colour::none && row[c].place == 1 ? Colour::green : row[c].colour;
    });
    if (!layout.spreads[r].empty()) append_row(layout.spreads[r], [](std::size_t) { return Colour::dim; });
  }
  if (table.left_out > 0) out += fmt::format("and {} more: {}\n", table.left_out, table.rest_in);
  return out;
}

bool has_room(Table& table, std::size_t most) {
  if (table.rows.size() < most) return true;
  ++table.left_out;
  return false;
}

Table table_with(std::initializer_list<std::string_view> titles) {
  Table table;
  for (const std::string_view title : titles)
    if (title.starts_with('>'))
      table.columns.push_back({std::string(title.substr(1)), Align::right});
    else
      table.columns.push_back({std::string(title)});
  return table;
}

std::vector<TableCell> plain_row(std::vector<std::string> texts) {
  std::vector<TableCell> cells;
  for (std::string& text : texts) cells.push_back({std::move(text)});
  return cells;
}

std::string title_of(const TableColumn& column) {
  if (!column.title.empty()) return column.title;
  const std::size_t unit = column.header.find('\n');
  if (unit == std::string::npos) return column.header;
  return fmt::format("{} [{}]", column.header.substr(0, unit), column.header.substr(unit + 1));
}

void fit(Table& table, const std::function<bool()>& fits) {
  for (const std::string& one : table.dispensable) {
    if (fits()) return;
    drop_columns(table, [&](const TableColumn& column, std::size_t) {
      return (column.metric.empty() ? column.header : column.metric).starts_with(one);
    });
  }
}

std::string notes_of(const Table& table) {
  std::string text;
  for (const auto& [title, note] : table.notes)
    if (std::ranges::find(table.columns, title, &TableColumn::header) != table.columns.end())
      text += (text.empty() ? "" : "; ") + note;
  return text;
}

void drop_columns(Table& table, const std::function<bool(const TableColumn&, std::size_t)>& is_meant) {
  for (std::size_t i = table.columns.size(); i-- > 0;) {
    if (!is_meant(table.columns[i], i)) continue;
    const auto at = static_cast<std::ptrdiff_t>(i);
    table.columns.erase(table.columns.begin() + at);
    for (auto& row : table.rows) row.erase(row.begin() + at);
  }
}

void drop_columns(Table& table, std::string_view nothing) {
  drop_columns(table, [&](const TableColumn&, std::size_t place) {
    return std::ranges::all_of(table.rows, [&](const auto& row) { return row[place].text == nothing; });
  });
}

std::string md_row(const std::vector<std::string>& cells) {
  std::string row = "|";
  for (const std::string& cell : cells) row += " " + cell + " |";
  return row + "\n";
}

std::string md_head(const std::vector<std::string>& titles, std::size_t text_columns) {
  std::vector<std::string> rules;
  for (std::size_t i = 0; i < titles.size(); ++i) rules.emplace_back(i < text_columns ? "---" : "---:");
  return md_row(titles) + md_row(rules);
}

std::string csv_field(std::string_view text) {
  constexpr std::string_view kFormula = "=+-@\t\r\n", kQuoted = ",;\"\t\r\n";
  std::string field(!text.empty() && kFormula.find(text[0]) != kFormula.npos ? "'" : "");
  field += text;
  if (field.find_first_of(kQuoted) == field.npos) return field;
  for (std::size_t at = 0; (at = field.find('"', at)) != field.npos; at += 2) field.insert(at, 1, '"');
  return '"' + field + '"';
}

bool wants_colours(int descriptor) {
  const char* const no_color = std::getenv("NO_COLOR");
  const char* const terminal = std::getenv("TERM");
  const bool dumb = terminal == nullptr || std::string_view(terminal) == "dumb";
  return (no_color == nullptr || *no_color == '\0') && !dumb && ::isatty(descriptor) == 1;
}

std::size_t screen_columns(int descriptor) {
  constexpr std::size_t kLeast = 40, kEndless = 1'000'000;
  if (::isatty(descriptor) == 0) return kEndless;
  winsize size{};
  if (::ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
    return std::max<std::size_t>(kLeast, size.ws_col);
  const char* const columns = std::getenv("COLUMNS");
  const auto given = columns == nullptr ? std::nullopt : parse_double(columns);
  return given && *given >= kLeast && *given < kEndless ? static_cast<std::size_t>(*given) : kScreenColumns;
}

std::size_t page_columns(int descriptor) { return std::min(kScreenColumns, screen_columns(descriptor)); }

}  // namespace aqbench
