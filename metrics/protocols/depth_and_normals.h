#pragma once
// Depth maps as monocular and multi-view depth papers score them, how well confidences rank their errors, and
// how well normals agree, as papers on surfaces score them.

#include <span>

#include "metrics/protocols/protocol_result.h"
#include "scenes/cloud/reconstruction.h"

namespace aqbench {

// The knobs of depth_errors(), as Monodepth2 has them without its median scaling. Lengths are metres.
struct DepthKnobs {
  double min_m = 1e-3, max_m = 80;  // only true depths between, both excluded, count
  bool clip_prediction = true;      // predictions are moved into [min_m, max_m]
  bool median_scaling = false;      // predictions are scaled so that the medians agree
};

// Throws Error(usage) naming the knob whose value makes no sense.
void check(const DepthKnobs& knobs);

// Compares a predicted depth map with the true one, pixel by pixel (Eigen et al., "Depth map prediction from
// a single image", NIPS 2014; mono-uncertainty evaluate.py, Atlas atlas/evaluation.py): abs_rel, sq_rel, mae,
// rmse, rmse_log, delta_1.03 and delta_1.25 to its third power (shares of pixels whose ratio is below), scale
// (of median scaling), coverage (of the true depths that count, those with a prediction), pixels. A depth
// that is not finite or not above 0 is none. Throws Error(method) for maps of unequal size.
ProtocolResult depth_errors(std::span<const float> predicted_m, std::span<const float> truth_m,
                            const DepthKnobs& knobs = {});

// Measures how well confidences rank the errors of a depth map (Ilg et al., ECCV 2018; Poggi et al., CVPR
// 2020, mono-uncertainty evaluate.py): pixels are taken away in `intervals` steps, the least confident first;
// ause_* is the area between the curve of the error that is left and that of the best possible order, aurg_*
// the area below the whole map's error; * is abs_rel, rmse, and a1 (share of ratios of 1.25 and above).
// Pixels are those that depth_errors() counts and that have a finite confidence. Throws as depth_errors()
// does.
ProtocolResult sparsification_errors(std::span<const float> predicted_m, std::span<const float> truth_m,
                                     std::span<const float> confidence, const DepthKnobs& knobs = {},
                                     int intervals = 50);

// Compares each normal with that of the nearest point of the other cloud (Mescheder et al., "Occupancy
// networks", CVPR 2019, im2mesh/eval.py): normals_accuracy, normals_completeness and their mean
// normals_consistency are mean absolute cosines, 0 to 1. Of points equally near the first counts; points
// without a finite place and a normal are left out. Normals need not be of unit length. Undefined where one
// side has none.
ProtocolResult normal_agreement(const PointCloud& cloud, const PointCloud& truth);

// Returns the vertices of a mesh with the mean normals of their triangles, weighted by area; vertices of no
// triangle with an area are left out.
PointCloud vertices_with_normals(const TriangleMesh& mesh);

}  // namespace aqbench
