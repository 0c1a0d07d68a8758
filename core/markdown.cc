#include "core/markdown.h"

#include "core/table.h"
#include "core/text.h"

namespace aqbench {

std::string md_escape(std::string_view text) {
  std::string escaped;
  for (const char c : printable(text)) {
    if (c == '<')
      escaped += "&lt;";
    else if (c == '&')
      escaped += "&amp;";
    else if (std::string_view("|`*[]\\").find(c) != std::string_view::npos)
      escaped += std::string("\\") + c;
    else
      escaped += c;
  }
  return escaped;
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

}  // namespace aqbench
