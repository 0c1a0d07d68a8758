#pragma once
// Trajectories of cameras, from the text files of TUM, KITTI and EuRoC, and poses against true ones: absolute
// and relative errors as evo defines them, and areas under recall curves as COLMAP's benchmark does.

#include <Eigen/Core>
#include <cstddef>
#include <filesystem>
#include <utility>
#include <vector>

#include "metrics/protocols/protocol_result.h"
#include "scenes/cloud/reconstruction.h"

namespace aqbench {

// Where a camera stood and how it was turned: x_world = rotation x_camera + position_m.
struct CameraPose {
  Eigen::Matrix3d rotation = Eigen::Matrix3d::Identity();
  Vec3 position_m = Vec3::Zero();
};

// Poses in their order. `stamps_s` is as long as `poses` and ascends, or is empty where the format has no
// times.
struct Trajectory {
  std::vector<double> stamps_s;
  std::vector<CameraPose> poses;
};

// Reads a trajectory, whose numbers are separated by blanks or commas. The first line, or a comment before
// it, may name the columns ("# timestamp tx ty tz qx qy qz qw", "#timestamp [ns], p_RS_R_x [m], ..., q_RS_w
// [],
// ..."): then time, position and quaternion are taken by their names. Else by the number of columns: 8 as
// TUM's "TIME TX TY TZ QX QY QZ QW", 17 as EuRoC's "TIME[ns] TX TY TZ QW QX QY QZ" and velocity and biases,
// 12 as KITTI's first three rows of world_from_camera. Quaternions are scaled to unit length. Lines that
// start with '#' are skipped. Throws Error(input) with file and line for anything else, for numbers that are
// not finite, a quaternion of zero, a matrix that is no rotation within 1e-3, a time that is not after that
// of the pose before, and a file without poses.
Trajectory read_trajectory(const std::filesystem::path& path);

// Pairs poses by time as evo does (evo/core/sync.py): each pose of the shorter trajectory with the nearest in
// time of the longer one, if at most `max_difference_s` away; where several have the same nearest, only the
// closest of them. Without times by their place, for which both must have as many. Returns (index in
// reference, index in estimate). Throws Error(input) where none match or the counts differ.
std::vector<std::pair<std::size_t, std::size_t>> pair_poses(const Trajectory& reference,
                                                            const Trajectory& estimate,
                                                            double max_difference_s);

// How an estimated trajectory is brought to the reference before it is compared.
enum class PoseAlignment {
  none,
  rigid,       // evo -a
  similarity,  // evo -as
  scale,       // evo -s: the scale of the best similarity alone
};

// The knobs of pose_errors().
struct PoseKnobs {
  PoseAlignment alignment = PoseAlignment::rigid;
  double max_time_difference_s = 0.01;
  int rpe_delta = 1;           // frames between the poses of a pair
  double rpe_path_m = 0;       // where above 0, the path between them in place of rpe_delta
  bool rpe_all_pairs = false;  // pairs begin at every frame; else where the pair before ends
  std::vector<double> auc_thresholds_deg = {0.5, 1, 5, 10};
  double min_baseline_m = 0;    // true baselines below have no direction: only their rotation counts
  bool count_missing = false;   // reference poses without partner count as 180 degrees in recall and auc
  int max_paired_poses = 1000;  // all pairs of more poses than these are not compared
};

// The most that max_paired_poses may be: KITTI's longest sequence fits, and the errors of more pairs would
// fill the memory.
inline constexpr int kMaxPairedPoses = 5000;

// Throws Error(usage) naming the knob whose value makes no sense.
void check(const PoseKnobs& knobs);

// Compares an estimate with the reference. Of positions after alignment
// ate_{rmse,mean,median,std,min,max,sse} in metres, and of orientations are_{rmse,mean,median}; of relative
// motions rpe_translation_* and rpe_rotation_* (evo/core/metrics.py); with rpe_path_m the pairs are those
// that evo/core/filters.py finds by the path of the aligned estimate, of all pairs with its tolerance of 10
// %. Over all ordered pairs of poses the relative rotation error rre_* and the angle between the directions
// of their translations rte_*, and of the larger of both recall and auc at each threshold (COLMAP
// benchmark/reconstruction/evaluation/utils.py), as shares; these are unaligned, and undefined beyond
// max_paired_poses, missing ones counted. A pair whose cameras stand at one place, in truth or in the
// estimate, has no direction: 90 degrees. Then poses, and missing of the reference. What the positions do not
// determine is undefined: orientations after an alignment to a line (fit_positions()); with fewer than 3
// poses, or all at one place, ate_*, are_* and, where the alignment has a scale, rpe_translation_*. Throws
// Error(input) where no poses match.
ProtocolResult pose_errors(const Trajectory& reference, const Trajectory& estimate,
                           const PoseKnobs& knobs = {});

// Returns the area under the recall curve of errors (sorted inside) up to a threshold, as a share of it.
double recall_auc(std::vector<double> errors, double threshold);

}  // namespace aqbench
