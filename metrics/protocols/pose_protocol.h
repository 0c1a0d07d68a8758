#pragma once
// Trajectories of cameras, and poses against true ones: absolute and relative errors as evo defines them,
// errors of pairs of cameras and areas under their recall curves as COLMAP's benchmark and the papers of
// 2025-2026 do, and errors of segments of a way as KITTI does.

#include <Eigen/Core>
#include <cstddef>
#include <filesystem>
#include <string>
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
// times; so are `names`, those of images, by which the poses are then sorted.
struct Trajectory {
  std::vector<double> stamps_s;
  std::vector<CameraPose> poses;
  std::vector<std::string> names = {};
};

// Reads a trajectory, whose numbers are separated by blanks or commas. The first line, or a comment before
// it, may name the columns ("# timestamp tx ty tz qx qy qz qw", "#timestamp [ns], p_RS_R_x [m], ..., q_RS_w
// [],
// ..."): then time, position and quaternion are taken by their names. Else by the number of columns: 8 as
// TUM's "TIME TX TY TZ QX QY QZ QW", 17 as EuRoC's "TIME[ns] TX TY TZ QW QX QY QZ" and velocity and biases,
// 12 as KITTI's first three rows of world_from_camera. Quaternions are scaled to unit length. Lines that
// start with '#' are skipped. Throws Error(input) with file and line for anything else, for numbers that are
// not finite, a quaternion of zero, a matrix that is no rotation within 1e-3, a time that is not after that
// of the pose before, and a file without poses. A folder, images.bin, images.txt and a file of JSON are
// read by read_camera_poses() (scenes/cloud/camera_poses.h), with names.
Trajectory read_trajectory(const std::filesystem::path& path);

// Pairs poses by time as evo does (evo/core/sync.py): each pose of the shorter trajectory with the nearest in
// time of the longer one, if at most `max_difference_s` away; where several have the same nearest, only the
// closest of them. With names, by the file names in them. Else by their place, for which both must have as
// many. Returns (index in reference, index in estimate). Throws Error(input) where none match, the counts
// differ, or one trajectory alone has names.
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

// The relative pose of cameras i and j, from E = camera_from_world.
enum class RelativePose {
  colmap,  // E_j E_i^-1: the centre of i seen from j
  vggt,    // E_i E_j^-1: the centre of j seen from i
  pi3,     // as colmap
  da3,     // E_0 E_i^-1 E_j E_0^-1, which camera 0 turns: no relative pose
};

// The knobs of pose_errors().
struct PoseKnobs {
  PoseAlignment alignment = PoseAlignment::rigid;
  double max_time_difference_s = 0.01;
  int rpe_delta = 1;           // frames between the poses of a pair
  double rpe_path_m = 0;       // where above 0, the path between them in place of rpe_delta
  bool rpe_all_pairs = false;  // pairs begin at every frame; else where the pair before ends
  RelativePose relative = RelativePose::colmap;
  bool free_direction = false;  // of a translation: its sign does not count, 0 to 90 degrees
  bool whole_degrees = false;   // auc: mean of the shares below 1, 2, .. degrees; else by trapezoids
  bool ordered_pairs = true;    // each pair of cameras counts twice
  std::vector<double> auc_thresholds_deg = {0.5, 1, 5, 10};
  double min_error_deg = 0;     // smaller errors of a pair count as this one in auc; trapezoids only
  double min_baseline_m = 0;    // true baselines below have no direction: only their rotation counts
  bool count_missing = false;   // reference poses without partner count as 180 degrees in recall and auc
  int max_paired_poses = 1000;  // all pairs of more poses than these are not compared
  // Lengths of segments of the true way; empty: none are compared. Segments begin at every segment_step-th
  // frame. KITTI's program computes in 32 bits.
  std::vector<double> segments_m = {};
  int segment_step = 10;
  bool single_precision = false;
};

// The most that max_paired_poses may be: KITTI's longest sequence fits, and the errors of more pairs would
// fill the memory.
inline constexpr int kMaxPairedPoses = 5000;

// Sets the relative pose and what the same papers compute with it: of vggt, pi3 and da3 free directions,
// whole degrees, unordered pairs and thresholds of 3, 5, 15 and 30 degrees; of colmap the defaults.
void compare_as(RelativePose paper, PoseKnobs& knobs);

// Throws Error(usage) naming the knob whose value makes no sense.
void check(const PoseKnobs& knobs);

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

// Returns the area under the recall curve of errors (sorted inside) up to a threshold, as a share of it;
// errors of at most `min_error` are a step there.
double recall_auc(std::vector<double> errors, double threshold, double min_error = 0);

// Returns the mean over k = 1, 2, .. threshold of the share of errors below k, at the threshold itself of
// those up to it. The threshold is a whole number.
double whole_degree_auc(const std::vector<double>& errors, double threshold);

}  // namespace aqbench
