#pragma once
// Writes, reads and describes structs by their tables of members (core/members.h).

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/interned_text.h"
#include "core/json.h"
#include "core/members.h"
#include "core/parameters.h"
#include "core/sha256.h"
#include "core/text.h"

namespace aqbench {

// How a type is written, read and described in a schema. The rules are those of its row.
template <class T>
struct JsonOf;

// Appends a member without a search for its key.
void add_member(Json& object, std::string_view key, Json value);
// Takes the numbers of an array. Returns whether each element is one that the rules allow.
bool take_numbers(const Json& array, unsigned rules, std::vector<double>& numbers);

template <class T>
concept HasMembers = requires {
  T::members(0);
};

template <class T>
concept IsText = std::same_as<T, std::string> || std::same_as<T, InternedText>;

template <IsText Text>
struct JsonOf<Text> {
  static Json write(const Text& text, unsigned rules, JsonForm = {}) {
    if (text.empty() && (rules & kOrNull) != 0) return nullptr;
    return static_cast<const std::string&>(text);
  }
  static void read(const JsonPlace& place, Text& text, unsigned rules, JsonForm = {}) {
    if (place.is_null() && (rules & kOrNull) != 0) return void(text = Text());
    std::string given = place.text();
    if (given.empty() && (rules & (kOrNull | kNotEmpty)) != 0) place.fail("is empty");
    if ((rules & kSha256) != 0 && !is_sha256_hex(given)) place.fail("expected a SHA-256 in hexadecimal");
    if ((rules & kUtc) != 0 && !is_utc(given)) place.fail("expected a time, 2026-05-20T10:11:12Z");
    text = std::move(given);
  }
  static Json schema(unsigned rules, JsonForm = {}) {
    Json json = {{"type", "string"}};
    if ((rules & kOrNull) != 0) json["type"] = {"string", "null"};
    if ((rules & (kOrNull | kNotEmpty)) != 0) json["minLength"] = 1;
    if ((rules & kSha256) != 0) json["pattern"] = "^[0-9a-f]{64}$";
    if ((rules & kUtc) != 0) json["pattern"] = "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$";
    return json;
  }
};

template <>
struct JsonOf<double> {
  static Json write(double value, unsigned, JsonForm = {}) {
    return std::isfinite(value) ? Json(value) : Json(nullptr);
  }
  static void read(const JsonPlace& place, double& value, unsigned rules, JsonForm = {}) {
    if (place.is_null() && (rules & kOrNull) != 0) return void(value = std::nan(""));
    value = place.number();
    if (value < 0 && (rules & kNotNegative) != 0) place.fail("must not be negative");
  }
  static Json schema(unsigned rules, JsonForm = {}) {
    Json json = {{"type", "number"}};
    if ((rules & kOrNull) != 0) json["type"] = {"number", "null"};
    if ((rules & kNotNegative) != 0) json["minimum"] = 0;
    return json;
  }
};

template <std::integral Int>
struct JsonOf<Int> {
  static Json write(Int value, unsigned, JsonForm = {}) { return value; }
  static void read(const JsonPlace& place, Int& value, unsigned rules, JsonForm = {}) {
    if constexpr (std::same_as<Int, bool>) {
      value = place.boolean();
    } else if constexpr (std::is_unsigned_v<Int>) {
      value = place.count();
    } else {
      const std::int64_t given = place.integer();
      if (given < 0 && (rules & kNotNegative) != 0) place.fail("must not be negative");
      if (!std::in_range<Int>(given)) place.fail("{} is out of range", given);
      value = static_cast<Int>(given);
    }
  }
  static Json schema(unsigned rules, JsonForm = {}) {
    if (std::same_as<Int, bool>) return {{"type", "boolean"}};
    Json json = {{"type", "integer"}};
    if (std::is_unsigned_v<Int> || (rules & kNotNegative) != 0) json["minimum"] = 0;
    return json;
  }
};

template <>
struct JsonOf<ParameterValue> {
  static Json write(const ParameterValue& value, unsigned, JsonForm = {}) { return parameter_json(value); }
  static void read(const JsonPlace& place, ParameterValue& value, unsigned, JsonForm = {}) {
    value = place.parameter();
  }
  static Json schema(unsigned, JsonForm = {}) { return {{"type", {"string", "number"}}}; }
};

template <>
struct JsonOf<JsonBox> {
  static Json write(const JsonBox& box, unsigned, JsonForm = {}) { return *box; }
  static void read(const JsonPlace& place, JsonBox& box, unsigned, JsonForm = {}) {
    if (!place.value().is_object()) place.fail("expected an object");
    box = place.value();
  }
  static Json schema(unsigned, JsonForm = {}) { return {{"type", "object"}}; }
};

// With to_string() and, beside it, json_values(E), an array of its values in files.
template <class E>
requires std::is_enum_v<E>
struct JsonOf<E> {
  static Json write(E value, unsigned, JsonForm = {}) { return to_string(value); }
  static void read(const JsonPlace& place, E& value, unsigned, JsonForm = {}) {
    const std::string text = place.text();
    for (const E one : json_values(E{}))
      if (to_string(one) == text) return void(value = one);
    const auto all = names();
    place.fail("expected {} or {}", fmt::join(all.begin(), all.end() - 1, ", "), all.back());
  }
  static Json schema(unsigned, JsonForm = {}) { return {{"enum", names()}}; }

 private:
  static std::vector<std::string> names() {
    std::vector<std::string> names;
    for (const E one : json_values(E{})) names.push_back(to_string(one));
    return names;
  }
};

template <class T>
struct JsonOf<std::optional<T>> {
  static Json write(const std::optional<T>& value, unsigned rules, JsonForm form) {
    return value ? JsonOf<T>::write(*value, rules, form) : Json(nullptr);
  }
  static void read(const JsonPlace& place, std::optional<T>& value, unsigned rules, JsonForm form) {
    if (place.is_null() && (rules & (kLeftOut | kNotEmpty)) == 0) return value.reset();
    JsonOf<T>::read(place, value.emplace(), rules, form);
  }
  static Json schema(unsigned rules, JsonForm form) {
    Json json = JsonOf<T>::schema(rules, form);
    if ((rules & (kLeftOut | kNotEmpty)) == 0) json["type"] = {json["type"], "null"};
    return json;
  }
};

// An array of what has a form in JSON; of anything else, pairs of a name and a value, an object.
template <class T>
struct JsonOf<std::vector<T>> {
  static constexpr bool is_array = requires { sizeof(JsonOf<T>); };

  static Json write(const std::vector<T>& values, unsigned rules, JsonForm form) {
    Json json = is_array ? Json::array() : Json::object();
    for (const T& element : values)
      if constexpr (is_array) {
        json.push_back(JsonOf<T>::write(element, rules, form));
      } else {
        const auto& [name, value] = element;
        add_member(json, name, JsonOf<std::decay_t<decltype(value)>>::write(value, rules, form));
      }
    return json;
  }
  static void read(const JsonPlace& place, std::vector<T>& values, unsigned rules, JsonForm form) {
    values.clear();
    values.reserve(place.value().size());  // no spare capacity: there may be very many lists
    if constexpr (std::same_as<T, double>)
      if (!place.value().empty() && take_numbers(place.value(), rules, values)) return;
    if constexpr (is_array) {
      for (const JsonPlace& element : place.elements())
        JsonOf<T>::read(element, values.emplace_back(), rules, form);
    } else {
      for (const auto& [key, inside] : place.members()) {
        auto& [name, value] = values.emplace_back();
        name = key;
        JsonOf<std::decay_t<decltype(value)>>::read(inside, value, rules, form);
      }
    }
    if (is_array && values.empty() && (rules & kNotEmpty) != 0) place.fail("is empty");
  }
  static Json schema(unsigned rules, JsonForm form) {
    if constexpr (is_array) {
      Json json = {{"type", "array"}, {"items", JsonOf<T>::schema(rules, form)}};
      if ((rules & kNotEmpty) != 0) json["minItems"] = 1;
      return json;
    } else {
      T element;
      auto& [name, value] = element;
      return {{"type", "object"},
              {"additionalProperties", JsonOf<std::decay_t<decltype(value)>>::schema(rules, form)}};
    }
  }
};

template <class Struct>
struct WriteRow {
  Json& json;
  const Struct& from;
  JsonForm form;

  template <class Value>
  void operator()(const char* key, Value Struct::*member, unsigned rules = 0, const char* = "") const {
    const Value& value = from.*member;
    Json written = JsonOf<Value>::write(value, rules, inside_of(form, rules));
    if (may_lack(rules, form)) {
      if (written.empty()) return;  // null, {} or []
      if constexpr (std::is_arithmetic_v<Value> || IsText<Value> ||
                    (HasMembers<Value> && std::equality_comparable<Value>)) {
        static const Struct fresh{};
        if (value == fresh.*member) return;
      }
    }
    add_member(json, key, std::move(written));
  }
  template <class Value>
  void part(Value Struct::*member) const {
    Value::members(WriteRow<Value>{json, from.*member, form});
  }
  template <class Members>
  void group(const char* key, unsigned rules, const char*, const Members& members) const {
    Json inside = Json::object();
    members(WriteRow{inside, from, JsonForm::whole});
    const bool or_null = (rules & kOrNull) != 0;  // where the first value is missing
    const bool nothing =
        or_null ? inside.front().empty()
                : std::all_of(inside.begin(), inside.end(), [](const Json& value) { return value.empty(); });
    if (nothing && may_lack(rules, form)) return;
    add_member(json, key, nothing && or_null ? Json(nullptr) : std::move(inside));
  }
};

// Reads the members or, with `keys`, lists their keys alone.
template <class Struct>
struct ReadRow {
  const JsonPlace& place;
  Struct& into;
  JsonForm form;
  std::vector<std::string_view>* keys = nullptr;

  std::optional<JsonPlace> find(const char* key, unsigned rules) const {
    if (keys != nullptr) {
      keys->push_back(key);
      return std::nullopt;
    }
    return may_lack(rules, form) ? place.find(key) : place.at(key);
  }
  template <class Value>
  void operator()(const char* key, Value Struct::*member, unsigned rules = 0, const char* = "") const {
    if (const auto found = find(key, rules))
      JsonOf<Value>::read(*found, into.*member, rules, inside_of(form, rules));
  }
  template <class Value>
  void part(Value Struct::*member) const {
    Value::members(ReadRow<Value>{place, into.*member, form, keys});
  }
  template <class Members>
  void group(const char* key, unsigned rules, const char*, const Members& members) const {
    const auto found = find(key, rules);
    if (!found || (found->is_null() && (rules & kOrNull) != 0)) return;
    read_members(*found, into, JsonForm::whole, members);
  }
};

// Reads the members of an object by a table. Other keys than these and `keys`, which the caller reads, are
// refused first: a misspelled key is named, and not that the right one is missing.
template <class Struct, class Members>
void read_members(const JsonPlace& place, Struct& into, JsonForm form, const Members& members,
                  std::vector<std::string_view> keys = {}) {
  members(ReadRow<Struct>{place, into, form, &keys});
  place.allow_only(keys);
  members(ReadRow<Struct>{place, into, form});
}

template <class Struct>
struct SchemaRow {
  Json& json;  // of an object
  JsonForm form;

  static Json empty_object() {
    return {{"type", "object"},
            {"additionalProperties", false},
            {"required", Json::array()},
            {"properties", Json::object()}};
  }
  void add(const char* key, Json schema, unsigned rules, std::string_view about) const {
    if (!may_lack(rules, form)) json["required"].push_back(key);
    if (!about.empty()) schema["description"] = about;
    add_member(json["properties"], key, std::move(schema));
  }
  template <class Value>
  void operator()(const char* key, Value Struct::*, unsigned rules = 0, const char* about = "") const {
    add(key, JsonOf<Value>::schema(rules, inside_of(form, rules)), rules, about);
  }
  template <class Members>
  void group(const char* key, unsigned rules, const char* about, const Members& members) const {
    Json inside = empty_object();
    members(SchemaRow{inside, JsonForm::whole});
    if ((rules & kOrNull) != 0) inside["type"] = {"object", "null"};
    add(key, std::move(inside), rules, about);
  }
};

template <class Struct>
struct JsonOfMembers {
  static Json write(const Struct& value, unsigned = 0, JsonForm form = {}) {
    Json json = Json::object();
    Struct::members(WriteRow<Struct>{json, value, form});
    return json;
  }
  static void read(const JsonPlace& place, Struct& value, unsigned = 0, JsonForm form = {}) {
    read_members(place, value, form, [](const auto& row) { Struct::members(row); });
    if constexpr (requires { value.after_reading(place); }) value.after_reading(place);
  }
  static Json schema(unsigned = 0, JsonForm form = {}) {
    Json json = SchemaRow<Struct>::empty_object();
    Struct::members(SchemaRow<Struct>{json, form});
    return json;
  }
};

template <HasMembers Struct>
struct JsonOf<Struct> : JsonOfMembers<Struct> {};

template <class T>
T from_json(const JsonPlace& place, JsonForm form = {}) {
  T value;
  JsonOf<T>::read(place, value, 0, form);
  return value;
}

}  // namespace aqbench
