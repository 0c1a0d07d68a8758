#include "harness/records/json_values.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/json_place.h"

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
  for (const JsonPlace& element : place.elements()) numbers.push_back(element.number());
  return numbers;
}

Json named_values_json(const NamedValues& values) {
  Json json = Json::object();
  for (const auto& [name, value] : values) json[name] = parameter_json(value);
  return json;
}

NamedValues named_values_from_json(const JsonPlace& place) {
  NamedValues values;
  for (const auto& [name, member] : place.members()) values.emplace_back(name, member.parameter());
  return values;
}

}  // namespace aqbench
