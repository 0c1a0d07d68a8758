#pragma once
// Point maps as papers score them: a point for each pixel of several views, predicted and true. One set of
// rules with knobs, of which every protocol is a setting.

#include <cstddef>
#include <span>

#include "metrics/protocols/knobs.h"
#include "metrics/protocols/protocol_result.h"
#include "metrics/protocols/trajectory.h"

namespace aqbench {

// How predicted points are moved onto the true ones of the same pixels.
enum class PointMapAlignment {
  none,
  pixel,        // the similarity of all pixels (Umeyama)
  scale_shift,  // a scale and a shift along z by medians; both sides in the frame of their first camera
  norm          // each side is divided by its mean distance from the first camera
};

// The knobs of point_map_errors().
struct PointMapKnobs {
  PointMapAlignment align = PointMapAlignment::pixel;
  double icp_m = 0.1;         // partners of the ICP that follows are nearer than this; 0: no ICP
  int nc_neighbours = 30;     // of a point, itself included, that give its normal
  int crop_px = 0;            // only a square of so many pixels in the middle of each view counts; 0: all do
  double min_confidence = 0;  // pixels with a lower confidence do not count
  bool zero_error = false;    // predictions that are not finite count as errors of 0; else they do not count
};

// Returns all knobs by name.
std::span<const Knob<PointMapKnobs>> point_map_knobs();

using PointMapProtocol = KnobProtocol<PointMapKnobs>;

// Returns all protocols for point maps.
std::span<const PointMapProtocol> point_map_protocols();

// Point maps: views x height x width x 3, in the files' unit of length or in metres; confidences views x
// height x width, or none. A pixel whose true point is not finite does not count.
struct PointMaps {
  std::size_t views = 0, height = 0, width = 0;
  std::span<const float> predicted_m, truth_m, confidence = {};
  // For align = norm, or none: depths along z, unit rays (x 3), and a pose for each view.
  std::span<const float> predicted_z_m = {}, true_z_m = {}, predicted_rays = {}, true_rays = {};
  std::span<const CameraPose> predicted_poses = {}, true_poses = {};
};

// Compares predicted points with true ones. But for align = norm: after alignment and ICP (Open3D's, point to
// point without scale) accuracy_{mean,median} and completeness_{mean,median}, distances to the nearest point
// of the other side, with normals_{accuracy,completeness,consistency} and *_median, absolute cosines of the
// normals of nearest points, each that of the plane through its nc_neighbours; scale; icp_fitness and
// icp_rmse (Pi3 mv_recon/eval.py; CUT3R eval/mv_recon). With align = norm, pixel by pixel and then over
// views: abs_rel, the distance as a share of the true one from the first camera; inlier_1.03, the share whose
// ratio of distances from it is below; the same of depths along z, z_*; rays, the mean angle between them at
// all pixels; pose_ate_mean after a rigid fit and pose_auc at 5 degrees as VGGT has it; scale_error of the
// two means (MapAnything, benchmarking/dense_n_view). Then coverage and pixels. Undefined where the pixels do
// not determine an alignment. Throws Error(method) for sizes that do not agree.
ProtocolResult point_map_errors(const PointMaps& maps, const PointMapKnobs& knobs = {});

}  // namespace aqbench
