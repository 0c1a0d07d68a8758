#include "core/strict_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <unordered_set>
#include <vector>

#include "core/error.h"
#include "core/files.h"
#include "core/table.h"
#include "core/text.h"

namespace aqbench {
namespace {

// Builds the document as the parser reports its parts, and stops it at the first thing that is not allowed.
class StrictBuilder {
 public:
  StrictBuilder(std::string_view text, const JsonLimits& limits) : text_(text), limits_(limits) {}

  bool null() { return add(nullptr); }
  bool boolean(bool value) { return add(value); }
  bool number_integer(Json::number_integer_t value) { return add(value); }
  bool number_unsigned(Json::number_unsigned_t value) { return add(value); }
  bool number_float(Json::number_float_t value, const std::string&) { return add(value); }
  bool string(std::string& value) { return add(std::move(value)); }
  bool binary(Json::binary_t&) { return stop("binary data"); }
  bool start_object(std::size_t) { return open(Json::object()); }
  bool start_array(std::size_t) { return open(Json::array()); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }

  bool key(std::string& name) {
    Level& level = levels_.back();
    if (!level.keys.insert(name).second) return stop(path() + ": key '" + name + "' is given twice");
    level.key = std::move(name);
    return true;
  }

  bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception& error) {
    const std::string_view before = text_.substr(0, position);
    const auto lines = std::ranges::count(before, '\n');
    const std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0
    std::string_view what = error.what();
    // "[json.exception.parse_error.101] parse error at line 1, column 5: syntax error ..."
    if (const auto tag = what.find("] "); tag != what.npos) what.remove_prefix(tag + 2);
    if (what.starts_with("parse error"))
      if (const auto colon = what.find(": "); colon != what.npos) what.remove_prefix(colon + 2);
    return stop(fmt::format("{}:{}: {}", lines + 1, std::max<std::size_t>(position - line_start, 1), what));
  }

  const std::string& problem() const { return problem_; }
  Json take() { return std::move(root_); }

 private:
  struct Level {
    Json* value;
    std::string key;  // of the member being read
    std::unordered_set<std::string> keys;
  };

  // Of the value being read, "records[3].metrics"; "document" at the top.
  std::string path() const {
    std::string text;
    for (const Level& level : levels_) {
      if (&level == &levels_.back()) break;
      if (level.value->is_array())
        text += fmt::format("[{}]", level.value->size() - 1);
      else
        text += (text.empty() ? "" : ".") + level.key;
    }
    return text.empty() ? "document" : text;
  }

  bool stop(std::string problem) {
    problem_ = std::move(problem);
    return false;
  }

  // The document's container appends without looking for the key, which key() has done in constant time.
  Json* place(Json value) {
    if (levels_.empty()) return &(root_ = std::move(value));
    Level& level = levels_.back();
    if (level.value->is_array()) {
      level.value->push_back(std::move(value));
      return &level.value->back();
    }
    Json::object_t::Container& members = *level.value->get_ptr<Json::object_t*>();
    return &members.emplace_back(level.key, std::move(value)).second;
  }

  bool add(Json value) {
    place(std::move(value));
    return true;
  }

  bool open(Json container) {
    if (levels_.size() >= static_cast<std::size_t>(limits_.max_depth))
      return stop(fmt::format("nested deeper than {} levels", limits_.max_depth));
    Json* const placed = place(std::move(container));
    levels_.push_back({placed, {}, {}});
    return true;
  }

  bool close() {
    levels_.pop_back();
    return true;
  }

  std::string_view text_;
  JsonLimits limits_;
  Json root_;
  std::vector<Level> levels_;
  std::string problem_;
};

}  // namespace

Json parse_strict_json(std::string_view text, const std::string& source, const JsonLimits& limits) {
  if (text.size() > limits.max_bytes)
    throw Error(ErrorKind::input, fmt::format("{}: {} bytes of JSON, more than the {} allowed", source,
                                              text.size(), limits.max_bytes));
  StrictBuilder builder(text, limits);
  if (!Json::sax_parse(text.begin(), text.end(), &builder)) {
    // "FILE:LINE:COLUMN: .." as compilers write it, else "FILE: .."
    const std::string& problem = builder.problem();
    const bool located = !problem.empty() && problem[0] >= '0' && problem[0] <= '9';
    throw Error(ErrorKind::input,
                elide_middle(source + (located ? ":" : ": ") + printable(problem), source.size() + 300));
  }
  return builder.take();
}

Json read_strict_json(const std::filesystem::path& path, const JsonLimits& limits) {
  return parse_strict_json(read_file(path, limits.max_bytes), path.string(), limits);
}

}  // namespace aqbench
