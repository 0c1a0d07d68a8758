#include "core/parameters.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/text.h"

namespace aqbench {
namespace {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substituted = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substituted});
    }
  }
  return row.back();
}

template <class Number>
Number parse_number(const Override& given) {
  const auto value = parse_whole<Number>(given.value);
  if (!value)
    throw usage_error("{}.{}: '{}' is not {}{}", given.owner, given.parameter, given.value,
                      std::is_integral_v<Number> ? "an integer" : "a number",
                      decimal_comma_note(given.value));
  return *value;
}

void check_range(const ParameterSpec& spec, const Override& given, double value) {
  const std::string unit = spec.unit == "1" ? "" : spec.unit;
  if (!std::isfinite(value) || value < spec.min || value > spec.max)
    throw usage_error("{}.{}: {} is outside {} to {}{}{}", given.owner, given.parameter, given.value,
                      spec.min, spec.max, unit.empty() ? "" : " ", unit);
}

ParameterValue parse_value(const ParameterSpec& spec, const Override& given) {
  if (std::holds_alternative<std::string>(spec.default_value)) {
    if (!spec.choices.empty() && std::ranges::find(spec.choices, given.value) == spec.choices.end())
      throw usage_error("{}.{}: '{}' is not one of {}", given.owner, given.parameter, given.value,
                        fmt::join(spec.choices, ", "));
    return given.value;
  }
  if (std::holds_alternative<std::int64_t>(spec.default_value)) {
    const auto value = parse_number<std::int64_t>(given);
    check_range(spec, given, static_cast<double>(value));
    return value;
  }
  const auto value = parse_number<double>(given);
  check_range(spec, given, value);
  return value;
}

}  // namespace

ParameterSpec number_parameter(std::string name, std::string unit, double default_value, double min,
                               double max, std::string help) {
  return {std::move(name), std::move(unit), default_value, min, max, std::move(help), {}};
}

ParameterSpec count_parameter(std::string name, std::string unit, std::int64_t default_value, double min,
                              double max, std::string help) {
  return {std::move(name), std::move(unit), default_value, min, max, std::move(help), {}};
}

ParameterSpec text_parameter(std::string name, std::string default_value, std::string help,
                             std::vector<std::string> choices) {
  return {std::move(name), "", std::move(default_value), 0, 0, std::move(help), std::move(choices)};
}

Parameters::Parameters(const std::vector<ParameterSpec>& specs) {
  for (const ParameterSpec& spec : specs) items_.emplace_back(spec.name, spec.default_value);
  defaults_ = items_;
}

bool Parameters::is_default(std::string_view name) const {
  const auto given = std::ranges::find(defaults_, name, [](const auto& item) { return item.first; });
  return given != defaults_.end() && given->second == at(name);
}

const ParameterValue& Parameters::at(std::string_view name) const {
  const auto found = std::ranges::find(items_, name, [](const auto& item) { return item.first; });
  if (found == items_.end()) throw std::out_of_range(fmt::format("unknown parameter '{}'", name));
  return found->second;
}

ParameterValue& Parameters::at(std::string_view name) {
  return const_cast<ParameterValue&>(std::as_const(*this).at(name));
}

double Parameters::number(std::string_view name) const {
  const ParameterValue& value = at(name);
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return static_cast<double>(*integer);
  return std::get<double>(value);
}

std::int64_t Parameters::integer(std::string_view name) const { return std::get<std::int64_t>(at(name)); }

const std::string& Parameters::text(std::string_view name) const { return std::get<std::string>(at(name)); }

Override parse_override(std::string_view argument) {
  const std::size_t equals = argument.find('=');
  const std::size_t dot = argument.substr(0, equals).rfind('.');
  if (equals == std::string_view::npos || dot == std::string_view::npos || dot == 0 || dot + 1 == equals ||
      equals + 1 == argument.size())
    throw usage_error("--set '{}': expected NAME.PARAMETER=VALUE", argument);
  return {std::string(argument.substr(0, dot)), std::string(argument.substr(dot + 1, equals - dot - 1)),
          std::string(argument.substr(equals + 1))};
}

Parameters resolve_parameters(std::string_view owner, const std::vector<ParameterSpec>& specs,
                              const std::vector<Override>& overrides) {
  Parameters values(specs);
  for (const Override& given : overrides) {
    if (given.owner != owner) continue;
    const ParameterSpec& spec = find_named(fmt::format("parameter of {}", owner), given.parameter, specs);
    values.at(given.parameter) = parse_value(spec, given);
  }
  return values;
}

std::vector<std::string> near_names(std::string_view name, const std::vector<std::string>& candidates) {
  std::vector<std::pair<std::size_t, std::string>> near;
  for (const std::string& candidate : candidates) {
    const std::size_t distance = edit_distance(lower_case(name), lower_case(candidate));
    const bool part = name.size() >= 3 && candidate.find(name) != std::string::npos;
    if (distance <= std::max<std::size_t>(2, candidate.size() / 3) || part)
      near.emplace_back(distance, candidate);
  }
  std::ranges::stable_sort(near, {}, [](const auto& item) { return item.first; });
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min<std::size_t>(near.size(), 3); ++i) names.push_back(near[i].second);
  return names;
}

std::string unknown_name_message(std::string_view kind, std::string_view name,
                                 const std::vector<std::string>& candidates) {
  const auto near = near_names(name, candidates);
  return near.empty() ? fmt::format("unknown {} '{}'; known: {}", kind, name, fmt::join(candidates, ", "))
                      : fmt::format("unknown {} '{}'; did you mean {}?", kind, name, fmt::join(near, " or "));
}

std::string to_string(const ParameterValue& value) {
  return std::visit([](const auto& v) { return fmt::format("{}", v); }, value);
}

}  // namespace aqbench
