#include "core/json.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/files.h"
#include "core/text.h"

namespace aqbench {

Json read_strict_json(const std::filesystem::path& path, const JsonLimits& limits) {
  return parse_strict_json(read_text_file(path, limits.max_bytes), path.string(), limits);
}

JsonPlace JsonPlace::child(const Json& value, std::string_view key) const {
  std::string path;
  path.reserve(path_.size() + 1 + key.size());
  if (!path_.empty()) (path += path_) += '.';
  path += key;
  return {value, source_, std::move(path)};
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
  return std::move(*place);
}

std::vector<JsonPlace> JsonPlace::elements() const {
  if (!value_->is_array()) fail("expected an array");
  std::vector<JsonPlace> places;
  places.reserve(value_->size());
  for (std::size_t i = 0; i < value_->size(); ++i)
    places.push_back(JsonPlace((*value_)[i], source_, fmt::format("{}[{}]", path_, i)));
  return places;
}

std::vector<std::pair<std::string, JsonPlace>> JsonPlace::members() const {
  if (!value_->is_object()) fail("expected an object");
  std::vector<std::pair<std::string, JsonPlace>> places;
  places.reserve(value_->size());
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
  if (!value_->is_object()) fail("expected an object");
  for (const auto& [key, value] : *value_->get_ptr<const Json::object_t*>())
    if (std::ranges::find(keys, key) == keys.end())
      child(value, key).fail(unknown_name_message("key", key, {keys.begin(), keys.end()}));
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
