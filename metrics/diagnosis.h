#pragma once
// Finds out why a cloud made from depth maps is as it is: the causes of its holes, its completeness by number
// of views, and the error of each camera's depths.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "metrics/metric.h"
#include "scenes/cloud/reconstruction.h"
#include "scenes/optics/camera.h"
#include "scenes/surfaces/surface.h"

namespace aqbench {

// Returns a camera's name as a field of a table: a comma in it is written as %2C.
std::string camera_field(std::string name);

// What counts as a hole, and how finely the surface is sampled.
struct DiagnosisOptions {
  double tolerance_m = 0.002;           // a sample of the surface further from every point is a hole
  double sample_spacing_m = 0.002 / 3;  // this and the seed as ScoreOptions has them: the same samples
  std::uint64_t sample_seed = 1;
  std::size_t points_per_camera = 20000;  // of a camera's depths, at most, evenly spread
};

// The result: metrics, and a table with more detail.
struct Diagnosis {
  // holes_*_pct: share of the area of the patch by cause; their sum is 100 - completeness.
  // camera_worst_bias_mm and crb_ratio: see metrics/registry.cc; the former is undefined unless more than
  // half of the cameras have depths inside the patch.
  MetricSet metrics;
  // "quantity,of,value,unit": area and completeness by number of views, holes by cause, and for each camera
  // bias, rmse and the confirmed share. An undefined value is empty.
  std::string csv;
  // The samples that are holes, and the index of each one's cause in hole_cause_names().
  std::vector<Vec3> hole_positions_m = {};
  std::vector<std::uint8_t> hole_causes = {};
};

// Returns "covered" (which no hole is), "not_visible", "no_depth", "wrong_depth", "filtered", "fused".
std::span<const char* const> hole_cause_names();

// Diagnoses a reconstruction. `rig` is the true one. Each sample in a hole has the first of these causes that
// holds:
// - not_visible: fewer than two cameras (auxiliary ones not counted) see it;
// - no_depth: no camera's unfiltered map has a depth there;
// - wrong_depth: no depth there is within the tolerance of the true depth;
// - filtered: the filter dropped all depths that are right;
// - fused: fusion lost the right depths or moved them away.
// A reconstruction without unfiltered maps is taken as if its filter dropped nothing. Uses parallel_for; the
// result is the same for any thread count. Throws Error(method) for a depth map of an unknown camera or of
// another size.
Diagnosis diagnose(const Reconstruction& reconstruction, const Surface& truth, const Rig& rig,
                   const DiagnosisOptions& options = {});

}  // namespace aqbench
