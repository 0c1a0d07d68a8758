#pragma once
// Named parameters of scenes and methods: declared once in a registry, overridden with `--set
// NAME.PARAMETER=VALUE`, listed by `aqbench list`, recorded in every result.

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/error.h"

namespace aqbench {

// The value of a parameter, in the parameter's type.
using ParameterValue = std::variant<double, std::int64_t, std::string>;

// A declared parameter of a scene or method, of the type of `default_value`. Text must be one of `choices`
// unless that is empty.
struct ParameterSpec {
  std::string name;  // with its unit: "depth_m"
  std::string unit;  // "m", "1", "px", "" for text
  ParameterValue default_value;
  double min = 0;  // numbers only, inclusive
  double max = 0;
  std::string help;
  std::vector<std::string> choices;
};

// Return a parameter that is a number, a whole number, or a text: one of `choices` where there are any.
ParameterSpec number_parameter(std::string name, std::string unit, double default_value, double min,
                               double max, std::string help);
ParameterSpec count_parameter(std::string name, std::string unit, std::int64_t default_value, double min,
                              double max, std::string help);
ParameterSpec text_parameter(std::string name, std::string default_value, std::string help,
                             std::vector<std::string> choices = {});

// Values of all parameters of one owner, in the order of its specs.
class Parameters {
 public:
  Parameters() = default;
  explicit Parameters(const std::vector<ParameterSpec>& specs);

  double number(std::string_view name) const;         // a double or an integer parameter
  std::int64_t integer(std::string_view name) const;  // an integer parameter
  const std::string& text(std::string_view name) const;

  const std::vector<std::pair<std::string, ParameterValue>>& items() const { return items_; }
  // Returns whether a parameter has its default value.
  bool is_default(std::string_view name) const;
  ParameterValue& at(std::string_view name);
  const ParameterValue& at(std::string_view name) const;

 private:
  std::vector<std::pair<std::string, ParameterValue>> items_, defaults_;  // in the same order
};

// One override as written: owner "undulating", parameter "amplitude_m", text "0.002".
struct Override {
  std::string owner;
  std::string parameter;
  std::string value;
};

// Parses NAME.PARAMETER=VALUE. Throws Error(usage) that quotes the argument.
Override parse_override(std::string_view argument);

// Returns the defaults with the overrides of `owner` applied; the last one of a parameter wins. Throws
// Error(usage) for an unknown parameter (suggesting similar ones) and for values that do not parse, are not
// finite or are out of range.
Parameters resolve_parameters(std::string_view owner, const std::vector<ParameterSpec>& specs,
                              const std::vector<Override>& overrides);

// Returns at most three candidates similar to a misspelt name, best first; for "did you mean".
std::vector<std::string> near_names(std::string_view name, const std::vector<std::string>& candidates);

// Returns "unknown scene 'flat_plan'; did you mean flat_plane?" or, if none is similar, the list of all.
std::string unknown_name_message(std::string_view kind, std::string_view name,
                                 const std::vector<std::string>& candidates);

// Returns the names of a table's rows.
template <class Rows>
std::vector<std::string> names_of(const Rows& rows) {
  std::vector<std::string> names;
  for (const auto& row : rows) names.emplace_back(row.name);
  return names;
}

// Returns the row of a table that has this name. Throws Error(usage) unknown_name_message() if there is none.
template <class Rows>
const auto& find_named(std::string_view kind, std::string_view name, const Rows& rows) {
  for (const auto& row : rows)
    if (row.name == name) return row;
  throw usage_error("{}", unknown_name_message(kind, name, names_of(rows)));
}

// Returns the shortest text that reads back as the same value.
std::string to_string(const ParameterValue& value);

}  // namespace aqbench
