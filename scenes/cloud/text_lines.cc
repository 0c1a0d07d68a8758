#include "scenes/cloud/text_lines.h"

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "core/text.h"

namespace aqbench {

std::string_view trim_blanks(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

std::string_view take_word(std::string_view& rest) {
  const std::size_t first = std::min(rest.find_first_not_of(" \t\r"), rest.size());
  rest.remove_prefix(first);
  const std::size_t end = std::min(rest.find_first_of(" \t\r"), rest.size());
  const std::string_view word = rest.substr(0, end);
  rest.remove_prefix(end);
  return word;
}

std::vector<std::string_view> split_words(std::string_view line) {
  std::vector<std::string_view> words;
  for (std::string_view word = take_word(line); !word.empty(); word = take_word(line)) words.push_back(word);
  return words;
}

std::vector<std::string_view> split_columns(std::string_view line) {
  if (line.find(',') == std::string_view::npos) return split_words(line);
  std::vector<std::string_view> columns = split_at(line, ',');
  for (std::string_view& column : columns) column = trim_blanks(column);
  if (columns.back().empty()) columns.pop_back();
  return columns;
}

bool is_filling(std::string_view bytes) {
  return bytes.find_first_not_of(std::string_view("\0 \t\r\n", 5)) == std::string_view::npos;
}

TextLines::TextLines(std::string_view bytes, std::string name) : rest_(bytes), name_(std::move(name)) {
  if (rest_.starts_with("\xef\xbb\xbf")) rest_.remove_prefix(3);  // the mark that some editors put first
}

bool TextLines::next(std::string_view& line) {
  if (rest_.empty()) return false;
  if (feed_ == nullptr || feed_ < rest_.data())
    feed_ = rest_.data() + std::min(rest_.find('\n'), rest_.size());
  auto end = static_cast<std::size_t>(feed_ - rest_.data());
  std::string_view text = rest_.substr(0, end);
  while (text.ends_with('\r')) text.remove_suffix(1);
  if (const std::size_t old_mac = text.find('\r'); old_mac != std::string_view::npos) end = old_mac;
  line = trim_blanks(rest_.substr(0, end));
  rest_.remove_prefix(std::min(end + 1, rest_.size()));
  ++line_;
  return true;
}

bool TextLines::next_content(std::string_view& line) {
  while (next(line))
    if (!line.empty() && !line.starts_with('#')) return true;
  return false;
}

void TextLines::fail(std::string_view what) const {
  throw input_error("{}: line {}: {}", name_, line_, escape_bytes(what));
}

double TextLines::number(std::string_view word, std::string_view what) const {
  const auto value = parse_double(word);
  if (!value) fail(fmt::format("{}: '{}' is not a number", what, word));
  return *value;
}

double TextLines::finite(std::string_view word, std::string_view what) const {
  const double value = number(word, what);
  if (!std::isfinite(value)) fail("{}: a number is not finite", what);
  return value;
}

std::uint64_t TextLines::count(std::string_view word, std::string_view what) const {
  const auto value = parse_whole<std::uint64_t>(word);
  if (!value || *value > std::uint64_t{1} << 53U)
    fail(fmt::format("{}: '{}' is not a whole number", what, word));
  return *value;
}

}  // namespace aqbench
