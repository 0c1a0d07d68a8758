#pragma once
// Poses against true ones: absolute and relative errors as evo defines them, errors of pairs of cameras and
// areas under their recall curves as COLMAP's benchmark and the papers of 2025-2026 do, and errors of
// segments of a way as KITTI does.

#include "metrics/protocols/pose_pairs.h"
#include "metrics/protocols/protocol_result.h"
#include "metrics/protocols/trajectory.h"

namespace aqbench {

// Compares an estimate with the reference. Of positions after alignment
// ate_{rmse,mean,median,std,min,max,sse} in metres, and of orientations are_{rmse,mean,median}; of relative
// motions rpe_translation_* and rpe_rotation_* (evo/core/metrics.py); with rpe_path_m the pairs are those
// that evo/core/filters.py finds by the path of the aligned estimate, of all pairs with its tolerance of 10
// %. Over all pairs of poses the relative rotation error rre_* and the angle between the directions
// of their translations rte_*, and of the larger of both recall and auc at each threshold (COLMAP
// benchmark/reconstruction/evaluation/utils.py; whole degrees: facebookresearch/vggt
// evaluation/test_co3d.py), with whole degrees also the shares racc and tacc of rotations and directions
// below it; these are unaligned, and undefined beyond max_paired_poses, missing ones counted. A pair whose
// cameras stand at one place, in truth or in the estimate, has no direction: 90 degrees. Of segments (KITTI
// devkit, evaluate_odometry.cpp) the mean error of the translation segment_translation as a share of the
// segment's length, of the rotation segment_rotation in radians a metre, and their number, of the poses as
// they are. Then poses, and missing of the reference. What the positions do not
// determine is undefined: orientations after an alignment to a line (fit_positions()); with fewer than 3
// poses, or all at one place, ate_*, are_* and, where the alignment has a scale, rpe_translation_*. Throws
// Error(input) where no poses match.
ProtocolResult pose_errors(const Trajectory& reference, const Trajectory& estimate,
                           const PoseKnobs& knobs = {});

}  // namespace aqbench
