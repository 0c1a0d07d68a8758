#pragma once
// JSON: a strict parser, and access with errors that name the place: "FILE: records[3].metrics.points.value:
// expected a number".

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/parameters.h"

namespace aqbench {

// The JSON type used everywhere; object keys keep their order.
using Json = nlohmann::ordered_json;

// An immutable JSON value in a box, so that headers need not include the JSON library. Copies share the
// value.
class JsonBox {
 public:
  JsonBox();           // an empty object
  JsonBox(Json json);  // implicit, so that a JSON value can be passed as a box

  const Json& operator*() const { return *json_; }
  const Json* operator->() const { return json_.get(); }

  // Compare the values.
  bool operator==(const JsonBox& other) const;

 private:
  std::shared_ptr<const Json> json_;
};

// Limits of the parser. The defaults are for untrusted files.
struct JsonLimits {
  std::size_t max_bytes = std::size_t{256} << 20;
  int max_depth = 32;                   // nested arrays and objects
  std::size_t max_keys = 1'000'000;     // of one object
  std::size_t max_values = 50'000'000;  // per document; each takes 16 bytes or more of memory
};

// Limits for messages between processes, journal lines and suite files, whose size is limited elsewhere.
inline constexpr JsonLimits kMessageJson = {.max_bytes = SIZE_MAX, .max_depth = 64};

// Limits for small or hand-written files: a suite, a transform, cameras.
inline constexpr JsonLimits kSmallFileJson = {
    .max_bytes = std::size_t{64} << 20, .max_keys = 10'000, .max_values = 10'000'000};

// Parses a whole document in time linear in its size, also for objects of a million keys. Throws Error(input)
// naming `source` for anything that is not JSON (NaN and Infinity literals and numbers beyond a double
// included), duplicate keys, text after the document, and documents beyond the limits.
Json parse_strict_json(std::string_view text, const std::string& source, const JsonLimits& limits = {});

// Parses a whole file in the same way. Also throws the errors of read_file().
Json read_strict_json(const std::filesystem::path& path, const JsonLimits& limits = {});

// Returns a value as JSON in one line; broken UTF-8 is replaced.
std::string compact_json(const Json& json);

// A value and its path. Refers to the document: keep that alive. All getters throw Error(input) naming the
// path if the value is missing or of another type.
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
  ParameterValue parameter() const;  // an integer, a finite number or text, keeping the type

  // Return the value, or an empty one for null.
  std::string text_or_null() const;
  std::optional<double> number_or_null() const;

  // Throws unless this is an object with no other keys than these.
  void allow_only(std::span<const std::string_view> keys) const;
  void allow_only(std::initializer_list<std::string_view> keys) const {
    allow_only(std::span(keys.begin(), keys.size()));
  }

  // Throw Error(input) "SOURCE: PATH: WHAT", WHAT as it is or in the form of fmt::format().
  [[noreturn]] void fail(std::string_view what) const;
  template <class First, class... Args>
  [[noreturn]] void fail(fmt::format_string<First, Args...> what, First&& first, Args&&... args) const {
    fail(fmt::format(what, std::forward<First>(first), std::forward<Args>(args)...));
  }
  const Json& value() const { return *value_; }

 private:
  JsonPlace(const Json& value, std::string source, std::string path)
      : value_(&value), source_(std::move(source)), path_(std::move(path)) {}
  JsonPlace child(const Json& value, std::string_view key) const;

  const Json* value_;
  std::string source_, path_;
};

// Returns a parameter's value with its type: 0.5, 3 or "text". Throws Error(method) if it is not finite.
Json parameter_json(const ParameterValue& value);

}  // namespace aqbench
