#include "harness/records/number_table.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/error.h"
#include "core/json.h"
#include "core/text.h"

namespace aqbench {
namespace {

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t";
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

bool has_text(const TableLine& line) {
  return std::ranges::any_of(line.cells, [](const std::string& cell) { return !cell.empty(); });
}

// ---- CSV ----

class CsvReader {
 public:
  CsvReader(std::string_view text, const std::string& source)
      : text_(text), source_(source), separator_(separator_of(text)) {}

  std::vector<TableLine> run() {
    std::vector<TableLine> lines;
    while (at_ < text_.size()) {
      TableLine line{number_, {}};
      do line.cells.push_back(next_cell());
      while (take_separator());
      end_line();
      if (has_text(line)) lines.push_back(std::move(line));
    }
    return lines;
  }

 private:
  // The separator of the first line with any text, outside of quotation marks.
  static char separator_of(std::string_view text) {
    bool quoted = false, tab = false, semicolon = false, other = false;
    for (const char c : text) {
      if (c == '"') quoted = !quoted;
      if (!quoted && (c == '\n' || c == '\r') && (tab || semicolon || other)) break;
      tab = tab || (!quoted && c == '\t');
      semicolon = semicolon || (!quoted && c == ';');
      other = other || (c != '\n' && c != '\r');
    }
    return tab ? '\t' : semicolon ? ';' : ',';
  }

  bool at_line_end() const { return at_ == text_.size() || text_[at_] == '\n' || text_[at_] == '\r'; }

  std::string next_cell() {
    while (separator_ != '\t' && at_ < text_.size() && text_[at_] == ' ') ++at_;
    if (at_ < text_.size() && text_[at_] == '"') return quoted_cell();
    const std::size_t first = at_;
    while (!at_line_end() && text_[at_] != separator_) ++at_;
    return std::string(trimmed(text_.substr(first, at_ - first)));
  }

  std::string quoted_cell() {
    const std::size_t began = number_;
    std::string cell;
    for (++at_; at_ < text_.size(); ++at_) {
      if (text_[at_] == '"' && text_.substr(at_ + 1, 1) != "\"") break;
      if (text_[at_] == '"') ++at_;  // two are one
      number_ += text_[at_] == '\n' ? 1 : 0;
      cell += text_[at_];
    }
    if (at_ == text_.size()) throw input_error("{}:{}: a quotation mark does not end", source_, began);
    ++at_;
    while (at_ < text_.size() && text_[at_] == ' ' && separator_ != ' ') ++at_;
    if (!at_line_end() && text_[at_] != separator_)
      throw input_error("{}:{}: text follows a closing quotation mark", source_, number_);
    return std::string(trimmed(cell));
  }

  bool take_separator() {
    if (at_line_end()) return false;
    ++at_;
    return true;
  }

  void end_line() {
    if (at_ < text_.size() && text_[at_] == '\r') ++at_;
    if (at_ < text_.size() && text_[at_] == '\n') ++at_;
    ++number_;
  }

  std::string_view text_;
  const std::string& source_;
  char separator_;
  std::size_t at_ = 0, number_ = 1;
};

// ---- JSON lines ----

// The key before a literal that JSON does not have, NaN or Infinity; "" where there is none.
std::string key_of_non_finite(std::string_view line) {
  for (const std::string_view literal : {"NaN", "Infinity"}) {
    const std::size_t at = line.find(literal);
    const std::size_t end = at == line.npos ? at : line.rfind("\":", at);
    const std::size_t start = end == line.npos || end == 0 ? line.npos : line.rfind('"', end - 1);
    if (start != line.npos) return std::string(line.substr(start + 1, end - start - 1));
  }
  return {};
}

std::string cell_of(const JsonPlace& place) {
  const Json& value = place.value();
  if (value.is_null()) return {};
  if (value.is_string()) return std::string(trimmed(value.get_ref<const std::string&>()));
  if (!value.is_number()) place.fail("expected a number, a text or null");
  return value.dump();
}

Json parse_line(std::string_view line, const std::string& where) {
  try {
    return parse_strict_json(line, where, kMessageJson);
  } catch (const Error&) {
    const std::string key = key_of_non_finite(line);
    if (key.empty()) throw;
    throw input_error("{}: {}: is not a finite number; null is an undefined value", where, one_line(key));
  }
}

NumberTable read_json_lines(std::string_view text, const std::string& source) {
  NumberTable table;
  std::size_t number = 0;
  for (const std::string_view raw : split_at(text, '\n')) {
    ++number;
    const std::string_view line = raw.ends_with('\r') ? raw.substr(0, raw.size() - 1) : raw;
    if (trimmed(line).empty()) continue;
    const std::string where = fmt::format("{}:{}", source, number);
    const Json json = parse_line(line, where);
    TableLine found{number, std::vector<std::string>(table.names.size())};
    for (const auto& [key, place] : JsonPlace(json, where).members()) {
      auto column = std::ranges::find(table.names, key);
      if (column == table.names.end()) column = table.names.insert(column, key);
      const auto at = static_cast<std::size_t>(column - table.names.begin());
      found.cells.resize(table.names.size());
      found.cells[at] = cell_of(place);
    }
    if (has_text(found)) table.lines.push_back(std::move(found));
  }
  for (TableLine& line : table.lines) line.cells.resize(table.names.size());
  return table;
}

}  // namespace

NumberTable read_number_table(std::string_view text, const std::string& source) {
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  if (!is_valid_utf8(text)) {
    std::size_t line = 1;
    for (const std::string_view one : split_at(text, '\n')) {
      if (!is_valid_utf8(one)) throw input_error("{}:{}: is not UTF-8", source, line);
      ++line;
    }
  }
  const std::string_view start = text.substr(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
  if (start.starts_with('[')) throw input_error("{}:1: is a JSON array; write an object a line", source);
  if (start.starts_with('{')) return read_json_lines(text, source);
  return {{}, CsvReader(text, source).run()};
}

}  // namespace aqbench
