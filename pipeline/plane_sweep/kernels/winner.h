#pragma once
// Finds the cheapest depth (the winner) of each pixel from costs that arrive depth by depth, without storing
// them.

#include <cstddef>
#include <span>

#include "pipeline/plane_sweep/kernels/lanes.h"

namespace aqbench::plane_sweep {

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

// Adds `depths` (at most kLanes) depths, from first_depth on, to a row of `pixels` pixels; first_depth 0
// restarts. scores[pixel][depth] hold the sum of similarities over the sources, at least up to the next
// multiple of kLanes pixels; the cost is 1 - score * per_source. `volume` is nullptr, or receives the cost of
// pixel i and depth first_depth + k at volume[i * volume_stride + k].
void feed_winner_row(const Lanes* scores, float per_source, int pixels, int first_depth, int depths,
                     const WinnerRow& row, float* volume, std::size_t volume_stride);

// Writes depth and confidence of the pixels as depth_extraction.h defines them.
void finish_winner_row(const WinnerRow& row, int pixels, std::span<const float> depths_m, float* depth_m,
                       float* confidence);

}  // namespace aqbench::plane_sweep
