#include <fmt/format.h>

#include <algorithm>

#include "core/text.h"
#include "reports/document/document.h"

namespace aqbench {
namespace {

struct TerminalWriter {
  const Screen& screen;

  std::string operator()(const Banner& banner) const {
    constexpr const char* kEscapes[] = {"\033[32m", "\033[33m", "\033[31m", ""};  // in the order of Kind
    const char* const escape = kEscapes[static_cast<std::size_t>(banner.kind)];
    const std::string text = wrapped(banner_line(banner), 2);
    if (!screen.colours || *escape == '\0') return text;
    const std::size_t end = banner.word.size();
    return fmt::format("{}{}\033[0m{}", escape, text.substr(0, end), text.substr(end));
  }
  std::string operator()(const Heading& heading) const { return wrapped(heading.text, 2); }
  std::string operator()(const Paragraph& text) const {
    return text.text.empty() ? "" : wrapped(text.text, 2);
  }
  std::string operator()(const Lines& lines) const {
    std::string text;
    for (std::size_t i = 0; i < std::min(lines.items.size(), lines.most); ++i)
      text += wrapped(lines.items[i], 4);
    if (lines.items.size() > lines.most)
      text += fmt::format("... and {} more\n", lines.items.size() - lines.most);
    return text;
  }
  std::string operator()(const Command& command) const { return printable(command.text) + "\n"; }
  std::string operator()(const Table& table) const {
    if (table.rows.empty()) return "";
    return render_table(table, screen.colours, std::max(screen.width, table_width(table)));
  }
  std::string operator()(const Chart&) const { return ""; }
  std::string operator()(const Picture&) const { return ""; }

  std::string wrapped(const std::string& text, std::size_t indent) const {
    return wrap_text(printable(text), screen.width, indent);
  }
};

}  // namespace

Screen screen_of(int descriptor) { return {wants_colours(descriptor), screen_columns(descriptor)}; }

std::string terminal_of(const ReportBlock& block, const Screen& screen) {
  return std::visit(TerminalWriter{screen}, block);
}

std::string terminal_of(const Section& section, const Screen& screen) {
  std::string body;
  for (const ReportBlock& block : section.blocks) body += terminal_of(block, screen);
  if (body.empty()) return "";
  std::string head = section.title + (section.note.empty() ? "" : ": " + section.note);
  std::erase(head, '`');
  return "\n" + terminal_of(Heading{head}, screen) + body;
}

std::string banner_line(const Banner& banner) {
  std::string text = banner.word;
  text += fmt::format("{}{}", text.empty() ? "" : ": ", banner.title);
  if (!banner.detail.empty()) text += ". " + banner.detail;
  if (!banner.origin.empty()) text += "; " + banner.origin;
  if (!banner.caution.empty()) text += ". " + banner.caution;
  return text;
}

}  // namespace aqbench
