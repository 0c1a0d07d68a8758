#pragma once
// Why a cloud made from depth maps is as it is: the causes of its holes, how complete it is where n cameras
// look, and the error of each camera's depths.

#include <cstdint>
#include <string>

#include "metrics/metric.h"
#include "scenes/cloud/reconstruction.h"
#include "scenes/optics/camera.h"
#include "scenes/surfaces/height_field.h"

namespace aqbench {

struct DiagnosisOptions {
  double tolerance_m = 0.002;  // a sample of the surface further from every point is a hole
  double sample_spacing_m = 0.001;
  std::uint64_t sample_seed = 1;
  std::size_t points_per_camera = 20000;  // of a camera's depths, at most, evenly spread
};

struct Diagnosis {
  // holes_*_pct: share of the patch's area; their sum is 100 - completeness. camera_worst_bias_mm and
  // crb_ratio as the registry says.
  MetricSet metrics;
  // "quantity,of,value,unit": area and completeness by number of views, holes by cause, bias, rmse and
  // confirmed share of each camera. An empty value is undefined.
  std::string csv;
};

// The causes, each a sample's first that holds: not_visible: fewer than two cameras (auxiliary ones
// included) see it; no_depth: no camera's unfiltered map has a depth there; wrong_depth: none has one within
// the tolerance of the true depth; filtered: the filter dropped all of those; fused: the rest, which fusion
// lost or moved away. Without unfiltered maps depth_maps stand for them. The rig is the true one. Uses
// parallel_for; the same for any thread count. Throws Error(method) for a depth map of an unknown camera or
// of another size.
Diagnosis diagnose(const Reconstruction& reconstruction, const PatchHeightField& truth, const Rig& rig,
                   const DiagnosisOptions& options = {});

}  // namespace aqbench
