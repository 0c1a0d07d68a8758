#include "core/json.h"

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <unordered_set>

#include "core/error.h"
#include "core/text.h"

namespace aqbench {
namespace {

// A problem of a document.
struct JsonProblem {
  enum class Kind { syntax, depth, doubled_key, many_keys, many_values };
  Kind kind = Kind::syntax;
  std::string what = {};             // syntax: the library's message
  std::size_t line = 0, column = 0;  // syntax: counted from 1
  std::string path = {}, key = {};   // doubled_key, many_keys: path of the object, and its key
};

JsonProblem syntax_problem(std::string_view text, std::size_t position,
                           const nlohmann::detail::exception& error) {
  const std::string_view before = text.substr(0, position);
  const auto lines = std::ranges::count(before, '\n');
  const std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0
  return {.what = error.what(),
          .line = static_cast<std::size_t>(lines) + 1,
          .column = std::max<std::size_t>(position - line_start, 1)};
}

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
  bool binary(Json::binary_t&) { return stop({.what = "binary data", .line = 1, .column = 1}); }
  bool start_object(std::size_t) { return open(false); }
  bool start_array(std::size_t) { return open(true); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }

  bool key(std::string& name) {
    Level& level = levels_[depth_ - 1];
    if (!level.is_new(name))
      return stop({.kind = JsonProblem::Kind::doubled_key, .path = path(), .key = name});
    if (level.values.size() >= limits_.max_keys)
      return stop({.kind = JsonProblem::Kind::many_keys, .path = path()});
    level.keys.push_back(std::move(name));
    return true;
  }

  bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception& error) {
    return stop(syntax_problem(text_, position, error));
  }

  const JsonProblem& problem() const { return problem_; }
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

  bool stop(JsonProblem problem) {
    problem_ = std::move(problem);
    return false;
  }

  void place(Json value) {
    if (depth_ == 0)
      root_ = std::move(value);
    else
      levels_[depth_ - 1].values.push_back(std::move(value));
  }

  bool add(Json value) {
    if (++values_ > limits_.max_values) return stop({.kind = JsonProblem::Kind::many_values});
    place(std::move(value));
    return true;
  }

  bool open(bool is_array) {
    if (depth_ >= static_cast<std::size_t>(limits_.max_depth))
      return stop({.kind = JsonProblem::Kind::depth});
    if (++values_ > limits_.max_values) return stop({.kind = JsonProblem::Kind::many_values});
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
  JsonProblem problem_;
};

// Formats "SOURCE:LINE:COLUMN: ..." as compilers do, else "SOURCE: ...".
std::string located_message(const JsonProblem& problem, const std::string& source, const JsonLimits& limits) {
  std::string text;
  if (problem.kind == JsonProblem::Kind::many_keys) {
    text = fmt::format(": {}: more than {} keys", problem.path, limits.max_keys);
  } else if (problem.kind == JsonProblem::Kind::many_values) {
    text = fmt::format(": more than {} values", limits.max_values);
  } else if (problem.kind == JsonProblem::Kind::depth) {
    text = fmt::format(": nested deeper than {} levels", limits.max_depth);
  } else if (problem.kind == JsonProblem::Kind::doubled_key) {
    text = fmt::format(": {}: duplicate key '{}'", problem.path, problem.key);
  } else {
    std::string_view what = problem.what;
    // "[json.exception.parse_error.101] parse error at line 1, column 5: syntax error ..."
    if (const auto tag = what.find("] "); tag != what.npos) what.remove_prefix(tag + 2);
    if (what.starts_with("parse error"))
      if (const auto colon = what.find(": "); colon != what.npos) what.remove_prefix(colon + 2);
    text = fmt::format(":{}:{}: {}", problem.line, problem.column, what);
  }
  return elide_middle(source + printable(text), source.size() + 300);
}

// Parses the whole text; `builder` stores the problem, if any.
template <class Builder>
void run_parser(std::string_view text, const std::string& source, const JsonLimits& limits,
                Builder& builder) {
  if (text.size() > limits.max_bytes)
    throw Error(
        ErrorKind::input,
        fmt::format("{}: {} bytes of JSON, more than the {} allowed", source, text.size(), limits.max_bytes),
        source);
  if (Json::sax_parse(text.begin(), text.end(), &builder)) return;
  throw Error(ErrorKind::input, located_message(builder.problem(), source, limits), source);
}

// Passes events on and stores nothing.
struct Forwarder {
  std::string_view text;
  const JsonLimits& limits;
  JsonVisitor& visitor;
  int depth = 0;
  JsonProblem wrong = {.kind = JsonProblem::Kind::depth};  // otherwise parse_error() describes it

  bool null() { return visitor.other(), true; }
  bool boolean(bool) { return visitor.other(), true; }
  bool number_integer(Json::number_integer_t value) { return number_float(static_cast<double>(value), {}); }
  bool number_unsigned(Json::number_unsigned_t value) { return number_float(static_cast<double>(value), {}); }
  bool number_float(double value, std::string_view) { return visitor.number(value), true; }
  bool string(const std::string& value) { return visitor.text(value), true; }
  bool binary(const Json::binary_t&) { return false; }
  bool start_object(std::size_t) { return depth++ < limits.max_depth && (visitor.open(false), true); }
  bool start_array(std::size_t) { return depth++ < limits.max_depth && (visitor.open(true), true); }
  bool end_object() { return --depth, visitor.close(), true; }
  bool end_array() { return end_object(); }
  bool key(const std::string& name) { return visitor.key(name), true; }
  bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception& error) {
    wrong = syntax_problem(text, position, error);
    return false;
  }
  const JsonProblem& problem() const { return wrong; }
};

}  // namespace

Json parse_strict_json(std::string_view text, const std::string& source, const JsonLimits& limits) {
  StrictBuilder builder(text, limits);
  run_parser(text, source, limits, builder);
  return builder.take();
}

void scan_json(std::string_view text, const std::string& source, const JsonLimits& limits,
               JsonVisitor& visitor) {
  Forwarder forwarder{.text = text, .limits = limits, .visitor = visitor};
  run_parser(text, source, limits, forwarder);
}

}  // namespace aqbench
