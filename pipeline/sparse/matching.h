#pragma once
// Matches keypoints of two images.

#include <cstdint>
#include <span>
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

// The matches of two views.
struct PairMatches {
  std::uint32_t first_view = 0, second_view = 0;
  std::vector<Match> matches;
};

// A keypoint of a view.
struct Sighting {
  std::uint32_t view = 0, keypoint = 0;

  friend auto operator<=>(const Sighting&, const Sighting&) = default;
};

// The keypoints of one point, in the order of views, at most one per view.
using Track = std::vector<Sighting>;

// Joins matches, the most distinctive one (smallest ratio) first. Skips a match that would put two keypoints
// of one view into a track. Tracks are in the order of their first sighting, and are the same for any order
// of `pairs`.
std::vector<Track> build_tracks(std::span<const PairMatches> pairs, std::span<const Features> features);

}  // namespace aqbench::sparse
