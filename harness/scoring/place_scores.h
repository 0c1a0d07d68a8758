#pragma once
// Scores of a recording at known places: the corners of a ChArUco board, control points, the masks of the
// images.

#include <cstddef>
#include <map>
#include <optional>

#include "metrics/diagnosis.h"
#include "metrics/metric.h"
#include "scenes/cloud/reconstruction.h"
#include "scenes/dataset/recording_truth.h"
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

// Returns how far a place is from the local surface, metres. The distance is measured along the normal of the
// total least-squares plane of all points within `radius_m`; the height is the mean of the 16 points that are
// nearest along that plane, or of all where there are fewer. nullopt where there are fewer than 3, or all lie
// on a line.
std::optional<double> distance_to_local_plane_m(const PointCloud& cloud, const Vec3& place_m,
                                                double radius_m);

// Returns control_* (metrics/registry.h) of a cloud in the recording's world frame: how many control points
// have such a plane, and mean, root mean square and largest of the distances. Undefined with a reason where
// none has one. The same for any thread count.
MetricSet score_control_points(const PointCloud& cloud, const ControlTruth& control);

// Returns points_in_masks_pct (metrics/registry.h) of a cloud in the rig's world frame, nothing for a rig
// without masks. The same for any thread count.
MetricSet score_masks(const PointCloud& cloud, const Rig& rig);

}  // namespace aqbench
