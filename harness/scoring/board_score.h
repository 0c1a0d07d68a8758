#pragma once
// Scores the corners of a ChArUco board in a recording, as depth maps give them, against the true board.

#include <cstddef>
#include <map>

#include "metrics/diagnosis.h"
#include "metrics/metric.h"
#include "scenes/cloud/reconstruction.h"
#include "scenes/dataset/true_points.h"
#include "scenes/optics/camera.h"

namespace aqbench {

// The mean side of the squares between corners, by their ids; 0 of 0 sides where no two corners are
// neighbours.
struct BoardSides {
  double mean_m = 0;
  std::size_t count = 0;
};
BoardSides board_sides(const std::map<int, Vec3>& corners_m, int squares_x);

// Takes each corner from the depth maps, at its pixel in every camera that sees it: the median of the
// cameras' points, coordinate by coordinate. Returns charuco_* (metrics/registry.h): distances from the true
// corners where positions are known, and the length of the squares' sides, which is no accuracy. Undefined
// with a reason where there are no depth maps or too few corners. Throws Error(input) for a pixel of an
// unknown camera. `made_with` is the calibration that the method had; nullptr where it is `rig`.
MetricSet score_board(const Reconstruction& output, const Rig& rig, const BoardTruth& board,
                      const MapCalibration* made_with = nullptr);

}  // namespace aqbench
