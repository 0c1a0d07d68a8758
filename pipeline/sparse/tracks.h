#pragma once
// Joins matches of image pairs to tracks, each of one point in many images.

#include <cstdint>
#include <span>
#include <vector>

#include "pipeline/sparse/matching.h"

namespace aqbench::sparse {

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
