#include <fmt/format.h>

#include <algorithm>

#include "core/text.h"
#include "reports/document/document.h"

namespace aqbench {
namespace {

// Brackets of units stay as they are, unless they could begin a link.
std::string header_of(const TableColumn& column) {
  const std::string title = title_of(column);
  std::string text = md_escape(title);
  if (title.find("](") != title.npos || title.find("][") != title.npos) return text;
  for (const std::string_view escaped : {"\\[", "\\]"})
    for (std::size_t at = 0; (at = text.find(escaped, at)) != text.npos; ++at) text.erase(at, 1);
  return text;
}

std::string escaped_cell(const TableCell& cell) {
  std::string text = md_escape(cell.text);
  if (text == "n/a" && !cell.hint.empty()) text += fmt::format(" ({})", md_escape(cell.hint));
  if (!cell.spread.empty()) text += " ± " + md_escape(cell.spread);
  return cell.place == 1 ? "**" + text + "**" : text;
}

// What the cells of a table unfold, each line behind the first cell of its row.
std::string folds_of(const Table& table) {
  constexpr std::size_t kMaxFolded = 200;
  Lines lines{{}, kMaxFolded};
  for (const auto& row : table.rows)
    for (const TableCell& cell : row)
      for (const std::string& line : cell.fold)
        lines.items.push_back(fmt::format("{}: {}", row.front().text, line));
  if (lines.items.empty()) return "";
  return "\n<details><summary>further values</summary>\n\n" + markdown_of(lines) + "\n</details>\n";
}

struct MarkdownWriter {
  std::string operator()(const Banner& banner) const {
    return fmt::format("**{}**\n", md_escape(banner_line(banner)));
  }
  std::string operator()(const Heading& heading) const { return "### " + md_escape(heading.text) + "\n"; }
  std::string operator()(const Paragraph& text) const {
    return text.text.empty() ? "" : md_escape(text.text) + "\n";
  }
  std::string operator()(const Lines& lines) const {
    std::string text;
    for (std::size_t i = 0; i < std::min(lines.items.size(), lines.most); ++i)
      text += "- " + md_escape(lines.items[i]) + "\n";
    if (lines.items.size() > lines.most)
      text += fmt::format("- and {} more\n", lines.items.size() - lines.most);
    return text;
  }
  // A fence of four cannot be closed by a name with three.
  std::string operator()(const Command& command) const {
    return fmt::format("````sh\n{}\n````\n", printable(command.text));
  }
  std::string operator()(const Table& table) const {
    if (table.rows.empty()) return "";
    std::vector<std::string> cells, rules;
    for (const TableColumn& column : table.columns) {
      cells.push_back(header_of(column));
      rules.emplace_back(column.align == Align::left ? "---" : "---:");
    }
    std::string text = md_row(cells) + md_row(rules);
    for (const auto& row : table.rows) {
      std::ranges::transform(row, cells.begin(), escaped_cell);
      text += md_row(cells);
    }
    if (table.left_out > 0) text += fmt::format("\nand {} more: {}\n", table.left_out, table.rest_in);
    if (const std::string notes = notes_of(table); !notes.empty()) text += "\n" + md_escape(notes) + "\n";
    return text + folds_of(table);
  }
  std::string operator()(const Chart&) const { return ""; }
  std::string operator()(const Picture&) const { return ""; }
};

}  // namespace

std::string markdown_of(const ReportBlock& block) { return std::visit(MarkdownWriter{}, block); }

std::string markdown_of(const std::vector<ReportBlock>& blocks) {
  std::string body;
  for (const ReportBlock& block : blocks)
    if (const std::string text = markdown_of(block); !text.empty()) body += "\n" + text;
  return body;
}

std::string markdown_of(const Section& section) {
  std::string body = markdown_of(section.blocks);
  if (body.empty()) return "";
  if (!section.fold.empty())
    body = fmt::format("\n<details><summary>{}</summary>\n{}\n</details>\n", md_escape(section.fold), body);
  return fmt::format("\n## {}\n", md_escape(section.title)) +
         (section.note.empty() ? "" : fmt::format("\n{}\n", section.note)) + body;
}

}  // namespace aqbench
