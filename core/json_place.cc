#include "core/json_place.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "core/error.h"

namespace aqbench {
namespace {

constexpr int kMaxDepth = 64;

}  // namespace

Json parse_json_strictly(std::string_view text, std::string_view source) {
  std::vector<std::set<std::string>> keys;
  const auto watch = [&](int depth, Json::parse_event_t event, Json& parsed) {
    if (depth > kMaxDepth)
      throw Error(ErrorKind::input, fmt::format("{}: nested deeper than {}", source, kMaxDepth));
    if (event == Json::parse_event_t::object_start) keys.emplace_back();
    if (event == Json::parse_event_t::object_end) keys.pop_back();
    if (event == Json::parse_event_t::key && !keys.back().insert(parsed.get<std::string>()).second)
      throw Error(ErrorKind::input,
                  fmt::format("{}: key {} stands twice in one object", source, parsed.dump()));
    return true;
  };
  try {
    return Json::parse(text, watch);
  } catch (const nlohmann::json::exception& error) {
    const std::string_view what = error.what();
    const std::size_t start = what.find("parse error");
    throw Error(ErrorKind::input,
                fmt::format("{}: {}", source, start == std::string_view::npos ? what : what.substr(start)));
  }
}

JsonPlace JsonPlace::child(const Json& value, std::string_view key) const {
  return {value, source_, path_.empty() ? std::string(key) : fmt::format("{}.{}", path_, key)};
}

void JsonPlace::fail(std::string_view what) const {
  throw Error(ErrorKind::input, fmt::format("{}: {}{}{}", source_, path_, path_.empty() ? "" : ": ", what));
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
  if (!value_->is_number_unsigned()) fail("expected an integer that is not negative");
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

void JsonPlace::allow_only(std::initializer_list<std::string_view> keys) const {
  for (const auto& [key, place] : members()) {
    if (std::ranges::find(keys, key) != keys.end()) continue;
    place.fail(unknown_name_message("key", key, {keys.begin(), keys.end()}));
  }
}

Json parameter_json(const ParameterValue& value) {
  if (const auto* number = std::get_if<double>(&value); number != nullptr && !std::isfinite(*number))
    throw Error(ErrorKind::method, "a parameter's value is not finite");
  return std::visit([](const auto& v) { return Json(v); }, value);
}

}  // namespace aqbench
