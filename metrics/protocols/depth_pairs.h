#pragma once
// The pixels of depth maps that count, and their predictions after a fit.

#include <cstddef>
#include <span>
#include <vector>

#include "metrics/protocols/depth_fit.h"
#include "metrics/protocols/depth_grid.h"
#include "metrics/protocols/depth_protocols.h"

namespace aqbench {

// The pixels that count, map by map.
struct DepthPairs {
  std::vector<double> predicted_m, truth_m, confidence;  // confidence: where it was given
  std::vector<std::size_t> ends;                         // of each map
  std::vector<std::size_t> grid, grid_ends;  // places of the pixels that give the fit: fit_on grid64
  bool undetermined = false;                 // finite depths of a map do not determine its fit
  std::size_t true_pixels = 0;               // with or without a prediction
};

// Returns a prediction as a depth.
double predicted_at(const DepthMapPair& map, std::size_t i, const DepthKnobs& knobs);

// Adds the pixels of a map that count, and returns which they are. Throws Error(method) for sizes that do not
// agree.
CountedPixels select_depths(const DepthMapPair& map, const DepthKnobs& knobs, DepthPairs& pairs);

// Returns those of all maps. Throws also as check() does.
DepthPairs select_all_depths(std::span<const DepthMapPair> maps, const DepthKnobs& knobs);

// Fits predictions and moves them; returns one fit, or that of each map. Where errors that are not finite
// count as 0, a fit that is not determined is left out.
std::vector<DepthFit> fit_all(DepthPairs& pairs, const DepthKnobs& knobs);

}  // namespace aqbench
