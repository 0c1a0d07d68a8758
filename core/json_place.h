#pragma once
// Reading JSON with errors that say where: "FILE: records[3].metrics.points.value: expected a number".

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/json_fwd.h"
#include "core/parameters.h"

namespace aqbench {

// Parses a whole document. Throws Error(input) naming `source` and the position for malformed text, a key
// that stands twice in an object, or nesting deeper than 64.
Json parse_json_strictly(std::string_view text, std::string_view source);

// A value and the path that led to it. Refers to the document: keep that alive. All getters throw
// Error(input) naming the path when the value is missing or of another type.
class JsonPlace {
 public:
  JsonPlace(const Json& value, std::string source) : JsonPlace(value, std::move(source), "") {}

  JsonPlace at(std::string_view key) const;
  std::optional<JsonPlace> find(std::string_view key) const;  // nullopt: absent
  std::vector<JsonPlace> elements() const;                    // of an array
  std::vector<std::pair<std::string, JsonPlace>> members() const;

  bool is_null() const;
  std::string text() const;
  double number() const;
  std::int64_t integer() const;
  std::uint64_t count() const;  // an integer >= 0
  bool boolean() const;
  ParameterValue parameter() const;  // integer, finite number or text, keeping which

  // The value, or the empty one for null.
  std::string text_or_null() const;
  std::optional<double> number_or_null() const;

  // Throws unless this is an object with no keys but these.
  void allow_only(std::initializer_list<std::string_view> keys) const;

  [[noreturn]] void fail(std::string_view what) const;
  const Json& value() const { return *value_; }

 private:
  JsonPlace(const Json& value, std::string source, std::string path)
      : value_(&value), source_(std::move(source)), path_(std::move(path)) {}
  JsonPlace child(const Json& value, std::string_view key) const;

  const Json* value_;
  std::string source_, path_;
};

// A parameter's value with its type kept: 0.5, 3 or "text". Throws Error(method) if it is not finite.
Json parameter_json(const ParameterValue& value);

}  // namespace aqbench
