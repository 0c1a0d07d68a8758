#pragma once
// From costs to depth and confidence, as defined by AquaMVS: from a whole volume, or as the costs arrive
// depth by depth, without storing them.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>

#include "pipeline/plane_sweep/kernels/lanes.h"

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
// wins.
void extract_depth(std::span<const float> volume, std::span<const float> depths_m, std::span<float> depth_m,
                   std::span<float> confidence, bool even_in_inverse = false);

// State of a row of pixels; every array extends to the next multiple of kLanes pixels.
struct WinnerRow {
  float* cost;         // the least so far
  float* index;        // its depth
  float* cost_before;  // of the depth before the winner
  float* cost_after;   // of the one after it
  float* cost_sum;
  float* cost_last;  // of the latest depth
};

// The number of arrays of a WinnerRow.
inline constexpr int kWinnerFields = 6;

// Returns the row whose arrays of `pixels` numbers follow each other from `first` on.
inline WinnerRow winner_row_at(float* first, std::size_t pixels) {
  return {
      first, first + pixels, first + 2 * pixels, first + 3 * pixels, first + 4 * pixels, first + 5 * pixels};
}

// Adds `depths` (at most kLanes) depths, from first_depth on, to a row of `pixels` pixels; first_depth 0
// restarts. scores[pixel][depth] hold the sum of similarities over the sources, at least up to the next
// multiple of kLanes pixels; the cost is 1 - score * per_source. `volume` is nullptr, or receives the cost of
// pixel i and depth first_depth + k at volume[i * volume_stride + k].
void feed_winner_row(const Lanes* scores, float per_source, int pixels, int first_depth, int depths,
                     const WinnerRow& row, float* volume, std::size_t volume_stride);

// Writes depth and confidence of the pixels as winner.h defines them.
void finish_winner_row(const WinnerRow& row, int pixels, std::span<const float> depths_m, float* depth_m,
                       float* confidence);

}  // namespace aqbench::plane_sweep
