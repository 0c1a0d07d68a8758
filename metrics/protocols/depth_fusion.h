#pragma once
// Depth maps of a scene fused to a mesh that is scored as a cloud, as Depth-Anything-3 does it.

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "metrics/protocols/knobs.h"
#include "metrics/protocols/protocol_result.h"
#include "metrics/protocols/trajectory.h"
#include "scenes/cloud/reconstruction.h"
#include "scenes/cloud/transform.h"

namespace aqbench {

// The knobs of fused_depth_errors(), by default those of 7-Scenes. Lengths are metres.
struct FusionKnobs {
  bool posed = false;  // the true cameras are taken, and of the estimated ones the scale; else those
  double voxel_m = 4.0 / 512, truncation_m = 0.04;  // of the volume
  double max_depth_m = 1e6;                         // depths from here on do not count
  double down_sample_m = 4.0 / 512;                 // voxels of both clouds, of which the means are compared
  double crop_m =
      std::numeric_limits<double>::infinity();  // a cloud farther from the truth's box does not count
  std::vector<double> thresholds_m = {0.05};
  int samples = 1'000'000;  // points taken of the mesh
  int seed = 1;
  bool nothing_is_zero = false;  // an empty mesh: shares are 0, as published; else undefined
};

// Returns all knobs by name.
std::span<const Knob<FusionKnobs>> fusion_knobs();

using FusionProtocol = KnobProtocol<FusionKnobs>;

// Returns all protocols of fused depths.
std::span<const FusionProtocol> fusion_protocols();

// A depth map along z of a camera without lens distortion, the estimated and the true camera. What is not
// finite or not above 0 is no depth.
struct FusionCamera {
  Eigen::Matrix3d K = Eigen::Matrix3d::Identity();
  CameraPose pose;
};
struct FusionView {
  std::size_t height = 0, width = 0;
  std::span<const float> depth_m;
  FusionCamera estimate, truth;
};

// Fits centres to true ones (evo's Umeyama), then the ten halves of them that numpy draws with seed 42 and of
// the best half all that lie within the median distance from the nearest true one after the first fit
// (Depth-Anything-3 utils/pose_align.py). Throws Error(input) where the centres do not determine a fit.
Similarity fit_centres(std::span<const Vec3> centres, std::span<const Vec3> true_centres_m);

// Aligns the estimated cameras, fuses the depths, takes points of the mesh and compares voxel means with
// those of the true points (Depth-Anything-3 bench/utils.py): accuracy_mean, completeness_mean, overall,
// precision, recall, f_score; scale, vertices, triangles. The points of a mesh follow from the seed alone.
// Throws Error(input) as fit_centres() does, Error(method) for sizes that do not agree.
ProtocolResult fused_depth_errors(std::span<const FusionView> views, const std::vector<Vec3>& truth_m,
                                  const FusionKnobs& knobs);

// What protocols ask of Open3D, in the module `pipeline` (core/module.h): fuses views of their `estimate` by
// ScalableTSDFVolume.
struct ProtocolsTable {
  TriangleMesh (*fuse_depths)(std::span<const FusionView> views, const FusionKnobs& knobs);
};

// Returns points spread evenly over a mesh.
std::vector<Vec3> spread_over(const TriangleMesh& mesh, int count, std::uint64_t seed);

}  // namespace aqbench
