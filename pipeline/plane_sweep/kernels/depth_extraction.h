#pragma once
// From costs to depth and confidence, as defined by AquaMVS.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>

namespace aqbench::plane_sweep {

// A depth in metres along the ray, and its confidence, 0 to 1.
struct DepthEstimate {
  float depth_m;
  float confidence;
};

// The value for a missing depth.
inline constexpr DepthEstimate kNoDepth{std::numeric_limits<float>::quiet_NaN(), 0.0F};

// Returns the winner's depth, refined by the parabola through its cost and its neighbours' (at most half a
// step), and the confidence sqrt((1 - cost) (1 - cost / mean cost)). The winner must be neither the first nor
// the last depth.
inline DepthEstimate refine_depth(float best_depth_m, float step_m, float cost_before, float cost,
                                  float cost_after, float mean_cost) {
  constexpr float kTiny = 1e-8F;
  const float offset = 0.5F * (cost_before - cost_after) / (cost_before - 2.0F * cost + cost_after + kTiny);
  const float match = 1.0F - std::clamp(cost, 0.0F, 1.0F);
  const float distinct = std::clamp(1.0F - cost / (mean_cost + kTiny), 0.0F, 1.0F);
  return {best_depth_m + std::clamp(offset, -0.5F, 0.5F) * step_m, std::sqrt(match * distinct)};
}

// Does the same for winner number `best` of depths that are evenly spaced, or evenly in inverse depth.
inline DepthEstimate refine_winner(std::span<const float> depths_m, std::size_t best, bool even_in_inverse,
                                   float cost_before, float cost, float cost_after, float mean_cost) {
  if (!even_in_inverse)
    return refine_depth(depths_m[best], depths_m[1] - depths_m[0], cost_before, cost, cost_after, mean_cost);
  const float step = (1 / depths_m.back() - 1 / depths_m.front()) / static_cast<float>(depths_m.size() - 1);
  DepthEstimate found =
      refine_depth(1 / depths_m[best], std::abs(step), cost_after, cost, cost_before, mean_cost);
  found.depth_m = 1 / found.depth_m;
  return found;
}

// Finds the depth of each pixel. volume: [pixel][depth], finite; depths_m evenly spaced (or evenly in inverse
// depth), at least 2. The first of equal costs wins. NaN depth and confidence 0 where the first or last depth
// wins. Throws Error(input) if the sizes do not match.
void extract_depth(std::span<const float> volume, std::span<const float> depths_m, std::span<float> depth_m,
                   std::span<float> confidence, bool even_in_inverse = false);

}  // namespace aqbench::plane_sweep
