#pragma once
// Finds out why a cloud made from depth maps is as it is: the causes of its holes, its completeness by number
// of views, and the error of each camera's depths.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "metrics/metric.h"
#include "metrics/score.h"
#include "metrics/scored_points.h"
#include "scenes/cloud/reconstruction.h"
#include "scenes/cloud/transform.h"
#include "scenes/optics/camera.h"
#include "scenes/surfaces/surface.h"

namespace aqbench {

// Returns a camera's name as a field of a table that is split at its commas: a comma in it is written as %2C.
std::string camera_field(const std::string& name);

// The calibration that depth maps were made with, which puts them into the world: a rig, and the transform
// from its frame to the true world frame, of scale 1.
struct MapCalibration {
  Rig rig;
  Similarity world_from_rig = {};

  // Returns a point of the rig's frame in the true world frame.
  Vec3 to_world(const Vec3& point_m) const {
    return world_from_rig.linear * point_m + world_from_rig.translation_m;
  }
  // Returns a point of the true world frame in the rig's frame.
  Vec3 from_world(const Vec3& point_m) const {
    return world_from_rig.linear.transpose() * (point_m - world_from_rig.translation_m);
  }
};

// The result: metrics, and a table with more detail.
struct Diagnosis {
  // holes_*_pct: share of the area of the patch by cause; their sum is 100 - completeness.
  // camera_worst_bias_mm and crb_ratio: see metrics/registry.cc; the former is undefined unless more than
  // half of the cameras have depths inside the patch.
  MetricSet metrics;
  // "quantity,of,value,unit": area and completeness by number of views, holes by cause, and for each camera
  // bias, rmse and the confirmed share. An undefined value is empty. "undistortion" is a cause of its own
  // here where it has an area; holes_not_visible_pct includes it.
  std::string csv;
  // The samples that are holes, and the index of each one's cause: 1 not_visible, 2 no_depth, 3
  // wrong_depth, 4 filtered, 5 fused, 6 undistortion.
  std::vector<Vec3> hole_positions_m = {};
  std::vector<std::uint8_t> hole_causes = {};
};

// Diagnoses a reconstruction from the samples of its score (Score::seen); without samples every metric is
// undefined. `rig` is the true one; `made_with` puts the depth maps into the world (the true rig where it is
// nullptr); `part` is what was scored. Each sample in a hole, farther than kHeadlineToleranceM from every
// point, has the first of these causes that holds:
// - undistortion: two cameras' own images show it, and fewer than two of the undistorted images;
// - not_visible: fewer than two cameras (auxiliary ones not counted) see it;
// - no_depth: no camera's unfiltered map has a depth there;
// - wrong_depth: no depth there is within the tolerance of the true depth;
// - filtered: the filter dropped all depths that are right;
// - fused: fusion lost the right depths or moved them away.
// A reconstruction without unfiltered maps is taken as if its filter dropped nothing. Uses parallel_for; the
// result is the same for any thread count. Throws Error(method) for a depth map of an unknown camera or of
// another size.
Diagnosis diagnose(const Reconstruction& reconstruction, const SeenSamples& samples, const Surface& truth,
                   const Rig& rig, const ScoredPart& part = {}, const MapCalibration* made_with = nullptr);

}  // namespace aqbench
