#include "core/drawing/colour_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

namespace aqbench {
namespace {

// Ten viridis colours at equal steps; linear interpolation between them is accurate enough.
constexpr std::array<Rgb8, 10> kViridis = {{{68, 1, 84},
                                            {72, 40, 120},
                                            {62, 74, 137},
                                            {49, 104, 142},
                                            {38, 130, 142},
                                            {31, 158, 137},
                                            {53, 183, 121},
                                            {109, 205, 89},
                                            {180, 222, 44},
                                            {253, 231, 37}}};

constexpr std::array<Rgb8, 7> kBlueToRed = {{{5, 48, 97},
                                             {33, 102, 172},
                                             {146, 197, 222},
                                             {247, 247, 247},
                                             {244, 165, 130},
                                             {178, 24, 43},
                                             {103, 0, 31}}};

Rgb8 interpolate(std::span<const Rgb8> anchors, int step) {
  const double at = static_cast<double>(std::clamp(step, 0, kColourSteps - 1)) *
                    static_cast<double>(anchors.size() - 1) / (kColourSteps - 1);
  const std::size_t low = std::min(static_cast<std::size_t>(at), anchors.size() - 2);
  const double share = at - static_cast<double>(low);
  const auto mix = [&](std::uint8_t a, std::uint8_t b) {
    return static_cast<std::uint8_t>(std::lround(a + share * (b - a)));
  };
  const Rgb8& a = anchors[low];
  const Rgb8& b = anchors[low + 1];
  return {mix(a.r, b.r), mix(a.g, b.g), mix(a.b, b.b)};
}

}  // namespace

int colour_step(double t) {
  return static_cast<int>(std::lround(std::clamp(t, 0.0, 1.0) * (kColourSteps - 1)));
}

Rgb8 sequential_colour(int step) { return interpolate(kViridis, step); }

Rgb8 diverging_colour(int step) { return interpolate(kBlueToRed, step); }

double round_up_125(double value) {
  const double power = std::pow(10, std::floor(std::log10(value)));
  for (const double step : {1.0, 2.0, 5.0})
    if (value <= step * power * (1 + 1e-12)) return step * power;
  return 10 * power;
}

std::string hex_of(Rgb8 colour) { return fmt::format("#{:02x}{:02x}{:02x}", colour.r, colour.g, colour.b); }

}  // namespace aqbench
