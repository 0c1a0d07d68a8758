#pragma once
// The value of one command line flag, and its conversion to a field of a request.

#include <fmt/format.h>

#include <cmath>
#include <concepts>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "core/error.h"
#include "core/text.h"

namespace aqbench {

// The value of one flag.
struct FlagValue {
  std::string flag;        // its name without dashes: "threads"
  std::string text;        // empty for a flag without a value
  bool defaulted = false;  // the text is the default of a flag not given by the user

  // Returns the text as a number. Throws Error(usage) naming the flag if it is not a number of this type.
  template <class Number>
  Number number() const {
    if constexpr (std::floating_point<Number>) {
      const auto value = parse_double(text);
      if (!value) refuse_unreadable();
      return *value;
    } else {
      const bool plus = text.size() > 1 && text[0] == '+' && text[1] != '-';
      const auto value = parse_whole<Number>(std::string_view(text).substr(plus ? 1 : 0));
      if (!value) refuse_unreadable();
      return *value;
    }
  }

  // Returns the number. Throws Error(usage) naming the flag if it is smaller than `least`.
  template <class Number>
  Number at_least(Number least) const {
    const Number value = number<Number>();
    if (value < least) refuse(value, fmt::format("must be at least {}", least));
    return value;
  }

  // Returns a finite positive number. Throws Error(usage) naming the flag for any other.
  double positive() const {
    const auto value = number<double>();
    if (!(std::isfinite(value) && value > 0)) refuse(value, "must be a positive number");
    return value;
  }

  // Throws Error(usage): "--FLAG NUMBER: WHY".
  template <class Number>
  [[noreturn]] void refuse(Number number, std::string_view why) const {
    throw usage_error("--{} {}: {}", flag, number, why);
  }

  // Throws Error(usage): "--FLAG 'TEXT': WHY".
  [[noreturn]] void refuse_text(std::string_view why) const {
    throw usage_error("--{} '{}': {}", flag, text, why);
  }

  // Throws the Error(usage) of an unreadable text.
  [[noreturn]] void refuse_unreadable() const {
    throw usage_error("the argument{} for option '--{}' is invalid{}",
                      text.empty() ? "" : fmt::format(" ('{}')", text), flag, decimal_comma_note(text));
  }
};

// Stores the value of a flag in a field: true in a bool, parsed text and numbers, an additional element of a
// vector. Throws the errors of FlagValue::number().
template <class Field>
void assign(Field& field, const FlagValue& value) {
  if constexpr (std::same_as<Field, bool>) {
    field = true;
  } else if constexpr (std::is_arithmetic_v<Field>) {
    field = value.number<Field>();
  } else if constexpr (requires { field.emplace_back(value.text); }) {  // texts or paths
    field.emplace_back(value.text);
  } else {
    field = value.text;  // std::string, std::filesystem::path
  }
}
template <class Field>
void assign(std::optional<Field>& field, const FlagValue& value) {
  assign(field.emplace(), value);
}

// A function object that stores a flag's value in a field of a request. The template arguments are the path
// of members to the field: into<&SweepRequest::plan, &PlanRequest::device>.
template <auto... kPath>
struct Into {
  template <class Request>
  void operator()(Request& request, const FlagValue& value) const {
    assign((request.*....*kPath), value);
  }
};
template <auto... kPath>
inline constexpr Into<kPath...> into{};

// A function object for a flag that turns something off: sets the bool at a path of members to false.
template <auto... kPath>
struct TurnOff {
  template <class Request>
  void operator()(Request& request, const FlagValue&) const {
    (request.*....*kPath) = false;
  }
};
template <auto... kPath>
inline constexpr TurnOff<kPath...> turn_off{};

}  // namespace aqbench
