#include "core/json.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <unordered_set>

#include "core/error.h"
#include "core/files.h"
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

// Builds the document from the parser's events and stops at the first problem.
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
  bool start_object(std::size_t) { return open(Json::object()); }
  bool start_array(std::size_t) { return open(Json::array()); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }

  bool key(std::string& name) {
    Level& level = levels_.back();
    if (!level.keys.insert(name).second)
      return stop({.kind = JsonProblem::Kind::doubled_key, .path = path(), .key = name});
    if (level.keys.size() > limits_.max_keys)
      return stop({.kind = JsonProblem::Kind::many_keys, .path = path()});
    level.key = std::move(name);
    return true;
  }

  bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception& error) {
    return stop(syntax_problem(text_, position, error));
  }

  const JsonProblem& problem() const { return problem_; }
  Json take() { return std::move(root_); }

 private:
  struct Level {
    Json* value;
    std::string key;  // of the member being read
    std::unordered_set<std::string> keys;
  };

  // Returns the path of the value being read, "records[3].metrics"; "document" at the top.
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

  bool stop(JsonProblem problem) {
    problem_ = std::move(problem);
    return false;
  }

  // Appends without searching for the key, which key() did in constant time.
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
    if (++values_ > limits_.max_values) return stop({.kind = JsonProblem::Kind::many_values});
    place(std::move(value));
    return true;
  }

  bool open(Json container) {
    if (levels_.size() >= static_cast<std::size_t>(limits_.max_depth))
      return stop({.kind = JsonProblem::Kind::depth});
    if (++values_ > limits_.max_values) return stop({.kind = JsonProblem::Kind::many_values});
    Json* const placed = place(std::move(container));
    levels_.push_back({placed, {}, {}});
    return true;
  }

  bool close() {
    levels_.pop_back();
    return true;
  }

  std::string_view text_;
  const JsonLimits& limits_;
  std::size_t values_ = 0;  // so far, containers included
  Json root_;
  std::vector<Level> levels_;
  JsonProblem problem_;
};

// Returns the problem of a document that is too large; empty for other problems.
std::string size_message(const JsonProblem& problem, const JsonLimits& limits) {
  if (problem.kind == JsonProblem::Kind::many_keys)
    return fmt::format("{}: more than {} keys", problem.path, limits.max_keys);
  if (problem.kind == JsonProblem::Kind::many_values)
    return fmt::format("more than {} values", limits.max_values);
  return {};
}

// Formats "SOURCE:LINE:COLUMN: ..." as compilers do, else "SOURCE: ...".
std::string located_message(const JsonProblem& problem, const std::string& source, const JsonLimits& limits) {
  std::string text;
  if (const std::string size = size_message(problem, limits); !size.empty()) {
    text = ": " + size;
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

// "SOURCE: parse error at line 1, column 5: syntax error ...".
std::string sentence_message(const JsonProblem& problem, const std::string& source,
                             const JsonLimits& limits) {
  if (const std::string size = size_message(problem, limits); !size.empty())
    return fmt::format("{}: {}", source, printable(size));
  if (problem.kind == JsonProblem::Kind::depth)
    return fmt::format("{}: nested deeper than {}", source, limits.max_depth);
  if (problem.kind == JsonProblem::Kind::doubled_key)
    return fmt::format("{}: duplicate key {} in one object", source, Json(problem.key).dump());
  const std::string_view what = problem.what;
  const std::size_t start = what.find("parse error");
  return fmt::format("{}: {}", source, start == what.npos ? what : what.substr(start));
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
  const auto message = limits.error_style == JsonErrorStyle::sentence ? sentence_message : located_message;
  throw Error(ErrorKind::input, message(builder.problem(), source, limits), source);
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

Json read_strict_json(const std::filesystem::path& path, const JsonLimits& limits) {
  return parse_strict_json(read_text_file(path, limits.max_bytes), path.string(), limits);
}

JsonPlace JsonPlace::child(const Json& value, std::string_view key) const {
  return {value, source_, path_.empty() ? std::string(key) : fmt::format("{}.{}", path_, key)};
}

void JsonPlace::fail(std::string_view what) const {
  // Keys come from a file: escape line breaks so that the message stays one line.
  const std::string where = path_.empty() ? "" : printable(path_) + ": ";
  throw input_error.of_file(source_, "{}{}", where, printable(what));
}

std::optional<JsonPlace> JsonPlace::find(std::string_view key) const {
  if (!value_->is_object()) fail("expected an object");
  const auto found = value_->find(key);
  if (found == value_->end()) return std::nullopt;
  return child(*found, key);
}

JsonPlace JsonPlace::at(std::string_view key) const {
  auto place = find(key);
  if (!place) fail(fmt::format("'{}' is missing", key));
  return *place;
}

std::vector<JsonPlace> JsonPlace::elements() const {
  if (!value_->is_array()) fail("expected an array");
  std::vector<JsonPlace> places;
  for (std::size_t i = 0; i < value_->size(); ++i)
    places.push_back(JsonPlace((*value_)[i], source_, fmt::format("{}[{}]", path_, i)));
  return places;
}

std::vector<std::pair<std::string, JsonPlace>> JsonPlace::members() const {
  if (!value_->is_object()) fail("expected an object");
  std::vector<std::pair<std::string, JsonPlace>> places;
  for (const auto& [key, value] : value_->items()) places.emplace_back(key, child(value, key));
  return places;
}

bool JsonPlace::is_null() const { return value_->is_null(); }

std::string JsonPlace::text() const {
  if (!value_->is_string()) fail("expected text");
  return value_->get<std::string>();
}

double JsonPlace::number() const {
  if (!value_->is_number()) fail("expected a number");
  const auto number = value_->get<double>();
  if (!std::isfinite(number)) fail("expected a finite number");
  return number;
}

std::int64_t JsonPlace::integer() const {
  if (!value_->is_number_integer() ||
      (value_->is_number_unsigned() && value_->get<std::uint64_t>() > static_cast<std::uint64_t>(INT64_MAX)))
    fail("expected an integer");
  return value_->get<std::int64_t>();
}

std::uint64_t JsonPlace::count() const {
  if (!value_->is_number_unsigned()) fail("expected a non-negative integer");
  return value_->get<std::uint64_t>();
}

bool JsonPlace::boolean() const {
  if (!value_->is_boolean()) fail("expected true or false");
  return value_->get<bool>();
}

ParameterValue JsonPlace::parameter() const {
  if (value_->is_string()) return text();
  if (value_->is_number_integer()) return integer();
  if (value_->is_number_float()) return number();
  fail("expected a number or text");
}

std::string JsonPlace::text_or_null() const { return is_null() ? std::string() : text(); }

std::optional<double> JsonPlace::number_or_null() const {
  if (is_null()) return std::nullopt;
  return number();
}

void JsonPlace::allow_only(std::span<const std::string_view> keys) const {
  for (const auto& [key, place] : members()) {
    if (std::ranges::find(keys, key) != keys.end()) continue;
    place.fail(unknown_name_message("key", key, {keys.begin(), keys.end()}));
  }
}

std::string compact_json(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Json parameter_json(const ParameterValue& value) {
  if (const auto* number = std::get_if<double>(&value); number != nullptr && !std::isfinite(*number))
    throw method_error("a parameter's value is not finite");
  return std::visit([](const auto& v) { return Json(v); }, value);
}

JsonBox::JsonBox() {
  static const auto empty = std::make_shared<const Json>(Json::object());
  json_ = empty;
}

JsonBox::JsonBox(Json json) : json_(std::make_shared<const Json>(std::move(json))) {}

bool JsonBox::operator==(const JsonBox& other) const { return *json_ == *other.json_; }

}  // namespace aqbench
