#pragma once
// What protocols for clouds compare with: points of the truth, and what is known of how they were measured.

#include <Eigen/Core>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "metrics/scored_points.h"
#include "scenes/cloud/crop.h"
#include "scenes/cloud/reconstruction.h"
#include "scenes/surfaces/surface.h"

namespace aqbench {

// A laser scan: points in the frame of its scanner, which stands at that frame's origin, +Z up.
struct BeamScan {
  std::vector<Vec3> points_m;
  Eigen::Matrix4d world_from_scanner = Eigen::Matrix4d::Identity();  // rigid
};

// A volume of voxels that says where the truth was observed (DTU's ObsMask), and the box around it.
struct ObservationMask {
  CropMask voxels;             // voxel 0 0 0 lies at the low corner of the box (DTU's BB)
  Vec3 high_m = Vec3::Zero();  // the box's other corner
};

// The truth of a cloud protocol. What a protocol asks for and does not find here makes its numbers undefined.
struct CloudTruth {
  PointCloud cloud;                  // world frame; empty where `scans` hold the points
  std::vector<BeamScan> scans = {};  // with known scanner positions
  const Surface* surface = nullptr;  // the true surface, where there is one
  // By the rule `surface` these are the truth's points, as `aqbench eval` has them; empty: those above.
  std::vector<Vec3> surface_samples_m = {};
  ScoredPart surface_part = {};  // what of the cloud is held against the surface; the crop is `crop`
  std::function<bool(const Vec3&)> crop = {};  // whether a point lies in the scored volume; empty: all do
  // Whether some camera sees each position: it lies in an image, and not behind the truth by more than
  // behind_m; masks of images shrink by erosion_px. Empty: no cameras are known, or rays cannot meet the
  // truth.
  std::function<std::vector<bool>(std::span<const Vec3> positions_m, double behind_m, int erosion_px)> seen =
      {};
  std::optional<ObservationMask> mask = {};
  std::optional<Eigen::Vector4d> plane = {};  // truth points x with plane . (x, 1) > 0 are scored
};

}  // namespace aqbench
