#pragma once
// What a protocol gives: numbers by name.

#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace aqbench {

inline constexpr double kUndefined = std::numeric_limits<double>::quiet_NaN();

// One number of a protocol.
struct ProtocolValue {
  std::string name;                  // "precision", "accuracy_mean"; docs/protocols.md defines each
  std::string unit;                  // "m", "1" (a share, 0 to 1), "deg", "points"
  std::optional<double> threshold;   // of a share
  std::optional<double> value = {};  // nullopt: undefined, and `reason` says why
  std::string reason = {};
  const char* threshold_unit = "m";  // or "deg"
};

// All numbers of one protocol, in its order.
using ProtocolResult = std::vector<ProtocolValue>;

// Returns the value of that name and threshold; nullptr if there is none.
const ProtocolValue* find_value(const ProtocolResult& result, std::string_view name,
                                std::optional<double> threshold = {});

// Appends a number; a value that is not finite becomes undefined, for the reason that is given.
void add_value(ProtocolResult& result, std::string_view name, std::string_view unit, double value,
               std::string_view reason_if_undefined = "not finite", std::optional<double> threshold = {},
               const char* threshold_unit = "m");

}  // namespace aqbench
