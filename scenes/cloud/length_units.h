#pragma once
// The units of length that files and flags can name.

#include <optional>
#include <string_view>

namespace aqbench {

// A unit of length.
struct LengthUnit {
  const char* name;   // "mm"
  const char* words;  // "millimetres"
  double metres;
};
inline constexpr LengthUnit kLengthUnits[] = {
    {"m", "metres", 1}, {"cm", "centimetres", 1e-2}, {"mm", "millimetres", 1e-3}, {"um", "micrometres", 1e-6}};

// Returns the length of a unit in metres; nullopt for a name that is none of these.
constexpr std::optional<double> metres_per_unit(std::string_view name) {
  for (const LengthUnit& unit : kLengthUnits)
    if (unit.name == name) return unit.metres;
  return std::nullopt;
}

}  // namespace aqbench
