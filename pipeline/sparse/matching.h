#pragma once
// Matches keypoints of two images.

#include <cstdint>
#include <vector>

#include "pipeline/sparse/features.h"

namespace aqbench::sparse {

// A pair of keypoints.
struct Match {
  std::uint32_t first = 0, second = 0;  // keypoints of the two images
  float ratio = 0;  // distance to the best over distance to the second best, the worse way
};

// Returns the mutual nearest neighbours, by the Euclidean distance of the descriptors, that pass the ratio
// test in both directions (Lowe 2004), in the order of `first`. Distances are exact integers, so no result
// depends on the instruction set. Uses parallel_for.
std::vector<Match> match_features(const Features& first, const Features& second, double max_ratio);

// Returns the matches whose refracted rays nearly intersect: the point nearest to both rays, projected into
// both images, lies within max_error_px of both keypoints.
std::vector<Match> epipolar_matches(const std::vector<Match>& matches, const Features& first,
                                    const RefractiveCamera& first_camera, const Features& second,
                                    const RefractiveCamera& second_camera, double max_error_px);

}  // namespace aqbench::sparse
