#include "metrics/protocols/protocol_result.h"

#include <algorithm>
#include <cmath>

namespace aqbench {

const ProtocolValue* find_value(const ProtocolResult& result, std::string_view name,
                                std::optional<double> threshold) {
  const auto found = std::ranges::find_if(
      result, [&](const ProtocolValue& value) { return value.name == name && value.threshold == threshold; });
  return found == result.end() ? nullptr : &*found;
}

void add_value(ProtocolResult& result, std::string_view name, std::string_view unit, double value,
               std::string_view reason_if_undefined, std::optional<double> threshold,
               const char* threshold_unit) {
  ProtocolValue added{.name = std::string(name), .unit = std::string(unit), .threshold = threshold};
  added.threshold_unit = threshold_unit;
  if (std::isfinite(value))
    added.value = value;
  else
    added.reason = std::string(reason_if_undefined);
  result.push_back(std::move(added));
}

}  // namespace aqbench
