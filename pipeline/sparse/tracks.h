#pragma once
// The same point across many images.

#include <cstdint>
#include <span>
#include <vector>

#include "pipeline/sparse/matching.h"

namespace aqbench::sparse {

struct PairMatches {
  std::uint32_t first_view = 0, second_view = 0;
  std::vector<Match> matches;
};

struct Sighting {
  std::uint32_t view = 0, keypoint = 0;

  friend auto operator<=>(const Sighting&, const Sighting&) = default;
};

using Track = std::vector<Sighting>;  // in the order of views, at most one of each

// Joins matches to tracks, the most distinctive match (smallest ratio) first. A match that would put two
// keypoints of one view into a track is passed over. Tracks are in the order of their first sighting, and the
// same for any order of `pairs`.
std::vector<Track> build_tracks(std::span<const PairMatches> pairs, std::span<const Features> features);

}  // namespace aqbench::sparse
