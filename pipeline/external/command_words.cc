#include "pipeline/external/command_words.h"

#include "core/error.h"

namespace aqbench {

std::vector<std::string> split_command(std::string_view command) {
  std::vector<std::string> words;
  bool in_word = false;
  char quote = '\0';
  for (std::size_t i = 0; i < command.size(); ++i) {
    const char c = command[i];
    const bool blank = quote == '\0' && (c == ' ' || c == '\t' || c == '\n');
    if (blank) {
      in_word = false;
      continue;
    }
    if (!in_word) words.emplace_back();
    in_word = true;
    if (quote != '\0' && c == quote) {
      quote = '\0';
    } else if (quote == '\0' && (c == '\'' || c == '"')) {
      quote = c;
    } else if (c == '\\' && quote != '\'') {
      if (i + 1 == command.size()) throw usage_error("command '{}': ends in a backslash", command);
      const char next = command[i + 1];
      const bool kept = quote == '"' && next != '"' && next != '\\';
      if (kept) words.back() += c;
      words.back() += next;
      ++i;
    } else {
      words.back() += c;
    }
  }
  if (quote != '\0') throw usage_error("command '{}': unterminated {}", command, quote);
  return words;
}

std::string fill_placeholders(std::string word,
                              const std::vector<std::pair<std::string, std::string>>& values) {
  std::string filled;
  for (std::size_t i = 0; i < word.size();) {
    bool replaced = false;
    for (const auto& [name, value] : values) {
      const std::string key = "{" + name + "}";
      if (word.compare(i, key.size(), key) != 0) continue;
      filled += value;
      i += key.size();
      replaced = true;
      break;
    }
    if (!replaced) filled += word[i++];
  }
  return filled;
}

}  // namespace aqbench
