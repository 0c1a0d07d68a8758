#pragma once
// Point maps as papers score them: a point for each pixel of several views, predicted and true. One set of
// rules with knobs, of which every protocol is a setting.

#include <span>

#include "metrics/protocols/knobs.h"
#include "metrics/protocols/point_pairs.h"
#include "metrics/protocols/protocol_result.h"

namespace aqbench {

// Returns all knobs by name.
std::span<const Knob<PointMapKnobs>> point_map_knobs();

using PointMapProtocol = KnobProtocol<PointMapKnobs>;

// Returns all protocols for point maps.
std::span<const PointMapProtocol> point_map_protocols();

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
