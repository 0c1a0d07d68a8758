#include "harness/planning/flag_value.h"

#include <cmath>

namespace aqbench {

double FlagValue::positive() const {
  const auto value = number<double>();
  if (!(std::isfinite(value) && value > 0)) refuse(value, "must be a positive number");
  return value;
}

void FlagValue::refuse_text(std::string_view why) const {
  throw Error(ErrorKind::usage, fmt::format("--{} '{}': {}", flag, text, why));
}

void FlagValue::refuse_unreadable() const {
  const std::string quoted = text.empty() ? "" : fmt::format(" ('{}')", text);
  throw Error(ErrorKind::usage, fmt::format("the argument{} for option '--{}' is invalid{}", quoted, flag,
                                            decimal_comma_note(text)));
}

}  // namespace aqbench
