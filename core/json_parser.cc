#include "core/json.h"

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <unordered_set>

#include "core/error.h"
#include "core/text.h"

namespace aqbench {
namespace {

// Builds the document from the parser's events and stops at the first problem. Each container is made when it
// ends, in its size: a growing object of the library copies all that it holds.
class StrictBuilder {
 public:
  StrictBuilder(std::string_view text, const JsonLimits& limits) : text_(text), limits_(limits) {}

  bool null() { return add(nullptr); }
  bool boolean(bool value) { return add(value); }
  bool number_integer(Json::number_integer_t value) { return add(value); }
  bool number_unsigned(Json::number_unsigned_t value) { return add(value); }
  bool number_float(Json::number_float_t value, const std::string&) { return add(value); }
  bool string(std::string& value) { return add(std::move(value)); }
  bool binary(Json::binary_t&) { return stop(":1:1: binary data"); }
  bool start_object(std::size_t) { return open(false); }
  bool start_array(std::size_t) { return open(true); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }

  bool key(std::string& name) {
    Level& level = levels_[depth_ - 1];
    if (!level.is_new(name)) return stop(fmt::format(": {}: duplicate key '{}'", path(), name));
    if (level.values.size() >= limits_.max_keys)
      return stop(fmt::format(": {}: more than {} keys", path(), limits_.max_keys));
    level.keys.push_back(std::move(name));
    return true;
  }

  bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception& error) {
    const std::string_view before = text_.substr(0, position);
    const std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0
    std::string_view what = error.what();
    // "[json.exception.parse_error.101] parse error at line 1, column 5: syntax error ..."
    if (const auto tag = what.find("] "); tag != what.npos) what.remove_prefix(tag + 2);
    if (what.starts_with("parse error"))
      if (const auto colon = what.find(": "); colon != what.npos) what.remove_prefix(colon + 2);
    return stop(fmt::format(":{}:{}: {}", 1 + std::ranges::count(before, '\n'),
                            std::max<std::size_t>(position - line_start, 1), what));
  }

  // Returns what is wrong, behind the name of the source: ":12:5: syntax error ...".
  const std::string& problem() const { return problem_; }
  Json take() { return std::move(root_); }

 private:
  // A container that has not ended.
  struct Level {
    bool is_array = false;
    std::vector<std::string> keys;  // of an object, the one of the value being read included
    std::vector<Json> values;
    std::unordered_set<std::string> known;  // the keys, where there are more than can be compared fast

    bool is_new(const std::string& name) {
      constexpr std::size_t kFew = 16;
      if (keys.size() < kFew) return std::ranges::find(keys, name) == keys.end();
      if (known.empty()) known.insert(keys.begin(), keys.end());
      return known.insert(name).second;
    }
  };

  // Returns the path of the value being read, "records[3].metrics"; "document" at the top.
  std::string path() const {
    std::string text;
    for (std::size_t i = 0; i + 1 < depth_; ++i)
      if (levels_[i].is_array)
        text += fmt::format("[{}]", levels_[i].values.size());
      else
        text += (text.empty() ? "" : ".") + levels_[i].keys.back();
    return text.empty() ? "document" : text;
  }

  bool stop(std::string problem) {
    problem_ = std::move(problem);
    return false;
  }

  void place(Json value) {
    if (depth_ == 0)
      root_ = std::move(value);
    else
      levels_[depth_ - 1].values.push_back(std::move(value));
  }

  bool has_room() {
    return ++values_ <= limits_.max_values || stop(fmt::format(": more than {} values", limits_.max_values));
  }

  bool add(Json value) {
    if (!has_room()) return false;
    place(std::move(value));
    return true;
  }

  bool open(bool is_array) {
    if (depth_ >= static_cast<std::size_t>(limits_.max_depth))
      return stop(fmt::format(": nested deeper than {} levels", limits_.max_depth));
    if (!has_room()) return false;
    if (++depth_ > levels_.size()) levels_.emplace_back();
    levels_[depth_ - 1].is_array = is_array;
    return true;
  }

  bool close() {
    Level& level = levels_[--depth_];
    Json closed = level.is_array ? Json::array() : Json::object();
    if (level.is_array) {
      Json::array_t& elements = closed.get_ref<Json::array_t&>();
      elements.assign(std::move_iterator(level.values.begin()), std::move_iterator(level.values.end()));
    } else {
      Json::object_t& members = closed.get_ref<Json::object_t&>();
      members.reserve(level.values.size());
      Json::object_t::Container& list = members;  // appends without a search for the key
      for (std::size_t i = 0; i < level.values.size(); ++i)
        list.emplace_back(std::move(level.keys[i]), std::move(level.values[i]));
    }
    level.keys.clear();
    level.values.clear();
    level.known.clear();
    place(std::move(closed));
    return true;
  }

  std::string_view text_;
  const JsonLimits& limits_;
  std::size_t values_ = 0;  // so far, containers included
  Json root_;
  std::vector<Level> levels_;  // the first depth_ of them; the others keep their memory
  std::size_t depth_ = 0;
  std::string problem_;
};

}  // namespace

Json parse_strict_json(std::string_view text, const std::string& source, const JsonLimits& limits) {
  if (text.size() > limits.max_bytes)
    throw Error(
        ErrorKind::input,
        fmt::format("{}: {} bytes of JSON, more than the {} allowed", source, text.size(), limits.max_bytes),
        source);
  StrictBuilder builder(text, limits);
  if (Json::sax_parse(text.begin(), text.end(), &builder)) return builder.take();
  throw Error(ErrorKind::input, elide_middle(source + printable(builder.problem()), source.size() + 300),
              source);
}

}  // namespace aqbench
