#include "core/json_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/json.h"

namespace aqbench {
namespace {

// Scans the text once, value by value.
class LineFinder {
 public:
  explicit LineFinder(std::string_view text) : text_(text) {}

  JsonLines run() {
    value("");
    return std::move(lines_);
  }

 private:
  char now() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  void skip_blanks() {
    for (; now() == ' ' || now() == '\n' || now() == '\t' || now() == '\r'; ++at_)
      if (now() == '\n') ++line_;
  }

  // Returns the raw text between quotes.
  std::string_view word() {
    const std::size_t start = at_++;
    for (; at_ < text_.size() && now() != '"'; ++at_)
      if (now() == '\\') ++at_;
    ++at_;
    return text_.substr(start, std::min(at_, text_.size()) - start);
  }

  void members(const std::string& path) {
    ++at_;
    for (skip_blanks(); at_ < text_.size() && now() != '}'; skip_blanks()) {
      if (now() == ',') {
        ++at_;
        continue;
      }
      const std::size_t line = line_;
      const std::string key = parse_strict_json(word(), "key").get<std::string>();
      const std::string name = path.empty() ? key : path + "." + key;
      skip_blanks();
      ++at_;  // the colon
      skip_blanks();
      value(name);
      lines_[name] = line;
    }
    ++at_;
  }

  void elements(const std::string& path) {
    ++at_;
    std::size_t index = 0;
    for (skip_blanks(); at_ < text_.size() && now() != ']'; skip_blanks()) {
      if (now() == ',')
        ++at_;
      else
        value(fmt::format("{}[{}]", path, index++));
    }
    ++at_;
  }

  void value(const std::string& path) {
    skip_blanks();
    lines_[path] = line_;
    if (now() == '{') return members(path);
    if (now() == '[') return elements(path);
    if (now() == '"') {
      word();
      return;
    }
    at_ = std::min(text_.find_first_of(",]} \n\t\r", at_), text_.size());
  }

  std::string_view text_;
  std::size_t at_ = 0, line_ = 1;
  JsonLines lines_;
};

}  // namespace

JsonLines lines_of_json(std::string_view text) { return LineFinder(text).run(); }

void with_json_lines(std::string_view text, const std::string& file, const std::function<void()>& read) {
  try {
    read();
  } catch (const Error& error) {
    const std::string message = error.what(), start = file + ": ";
    if (error.file() != file || !message.starts_with(start)) throw;
    const std::string rest = message.substr(start.size());
    const JsonLines lines = lines_of_json(text);
    std::size_t line = 1, longest = 0;
    for (const auto& [path, at] : lines)
      if (path.size() > longest && rest.starts_with(path) &&
          (rest.size() == path.size() ||
           std::string_view(".[:").find(rest[path.size()]) != std::string_view::npos)) {
        longest = path.size();
        line = at;
      }
    throw Error(error.kind(), fmt::format("{}:{}: {}", file, line, rest), file);
  }
}

}  // namespace aqbench
