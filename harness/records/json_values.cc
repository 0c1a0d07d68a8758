#include "harness/records/json_values.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/json.h"

namespace aqbench {

Json text_json(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

Json finite_json(const std::optional<double>& value) {
  return value && std::isfinite(*value) ? Json(*value) : Json(nullptr);
}

Json samples_json(const std::vector<double>& samples, const std::string& case_name, const std::string& what) {
  for (const double sample : samples)
    if (!std::isfinite(sample))
      throw Error(ErrorKind::method, fmt::format("{}: a sample of {} is not finite", case_name, what));
  return samples;
}

std::vector<double> numbers_from_json(const JsonPlace& place) {
  std::vector<double> numbers;
  numbers.reserve(place.value().size());
  for (const JsonPlace& element : place.elements()) numbers.push_back(element.number());
  return numbers;
}

Json named_values_json(const NamedValues& values) {
  Json json = Json::object();
  for (const auto& [name, value] : values) json[name] = parameter_json(value);
  return json;
}

std::string indented_json(const Json& json, std::size_t level) {
  const std::string flat = json.dump(1, ' ', false, Json::error_handler_t::replace);
  if (level == 0) return flat;
  std::string text;
  text.reserve(flat.size() + flat.size() / 4);
  for (const char c : flat) {  // texts contain no line breaks
    text += c;
    if (c == '\n') text.append(level, ' ');
  }
  return text;
}

NamedValues named_values_from_json(const JsonPlace& place) {
  NamedValues values;
  values.reserve(place.value().size());
  for (const auto& [name, member] : place.members()) values.emplace_back(name, member.parameter());
  return values;
}

}  // namespace aqbench
