#include "harness/planning/flag_value.h"

#include <cmath>

namespace aqbench {

double FlagValue::positive() const {
  const auto value = number<double>();
  if (!(std::isfinite(value) && value > 0)) refuse(value, "must be a positive number");
  return value;
}

void FlagValue::refuse_text(std::string_view why) const {
  throw usage_error("--{} '{}': {}", flag, text, why);
}

void FlagValue::refuse_unreadable() const {
  const std::string quoted = text.empty() ? "" : fmt::format(" ('{}')", text);
  throw usage_error("the argument{} for option '--{}' is invalid{}", quoted, flag, decimal_comma_note(text));
}

}  // namespace aqbench
