#pragma once
// Relations between results that need no truth, and what a check measures: the scale by a board, how far two
// clouds lie apart, how well depth maps agree. This is no accuracy: both clouds may be wrong, and depths that
// are wrong in the same way everywhere agree.

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "scenes/cloud/reconstruction.h"
#include "scenes/cloud/transform.h"
#include "scenes/dataset/recording.h"
#include "scenes/dataset/recording_truth.h"
#include "scenes/optics/camera.h"

namespace aqbench {

// A changed form of a recording.
struct Relation {
  std::string name;     // "permuted"
  std::string changes;  // "order of cameras"
  Recording recording;  // in the layout that write_observation() writes anew
  // Takes a result of the changed recording to the frame and unit of the original one.
  Similarity original_from_changed = {};
  // The method is given the same numbers, so that a deterministic one gives the same points; else it samples
  // the surface at other places.
  bool is_exact = false;
};

// Returns the relations: permuted (cameras in reverse order), renamed (names in reverse alphabetical order),
// moved (the world turned by 40 degrees and shifted by the extent of the cameras, about and across the
// vertical where there is water), unit (all lengths twice as large), doubled (one camera twice).
std::vector<Relation> relations_of(const Recording& recording);

// Returns the first, third ... and the second, fourth ... cameras in the order of their names as recordings
// of their own. Throws Error(input) for fewer than 6 cameras.
std::vector<Recording> halves_of(const Recording& recording);

// What a board says of the scale. This is no accuracy: it holds where the board was.
struct BoardScale {
  double factor = 0;                   // true side / side in the calibration: 1.02 where it is 2 % too small
  std::size_t corners = 0, sides = 0;  // corners that two cameras see, sides between them
};

// Triangulates the corners from their pixels, through water where there is some. Returns nullopt without a
// side. Throws Error(input) for a pixel of an unknown camera.
std::optional<BoardScale> scale_by_board(const BoardTruth& board, const Rig& rig);

// Distances of each point of one cloud to the nearest point of the other, of both directions the larger
// value.
struct CloudDifference {
  double median_m = 0, p95_m = 0;
  std::size_t points_a = 0, points_b = 0;
};

// Compares two clouds in one frame. Throws Error(method) for an empty one.
CloudDifference cloud_difference(std::span<const Vec3> a_m, std::span<const Vec3> b_m);

// Returns the diagonal of the box around the points; 0 without any.
double extent_m(std::span<const Vec3> points_m);

// Returns the median distance of a point to its nearest neighbour, over at most 20 000 points at even steps.
// Throws Error(method) for fewer than 2 points.
double median_spacing_m(std::span<const Vec3> points_m);

// Pairs of cameras with baselines of one size.
struct BaselineGroup {
  double least_m = 0, most_m = 0;  // of their baselines
  std::size_t pairs = 0;           // that see a common place
  double reprojection_px = 0;      // median over the pairs of the median shift (harness/scoring/agreement.h)
};

// Returns up to three groups of as many pairs each, the shortest baselines first; none where no two maps
// meet. A shift that grows with the baseline is of wrong depths or poses; one at every baseline is of noise.
// Throws as measure_consistency().
std::vector<BaselineGroup> depth_agreement(std::span<const DepthMap> maps, const Rig& rig);

}  // namespace aqbench
