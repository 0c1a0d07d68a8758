#pragma once
// Errors of pairs of cameras and of segments of a way, and the knobs of all errors of poses.

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "metrics/protocols/knobs.h"
#include "metrics/protocols/protocol_result.h"
#include "metrics/protocols/trajectory.h"

namespace aqbench {

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
  bool nothing_fails = false;   // where there is no pair one of 180 degrees counts, as COLMAP has it, and of
                                // no segment the errors are 0, as kitti-odom-eval has it; else undefined
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

// Returns all knobs by name; that of relative poses sets what compare_as() sets.
std::span<const Knob<PoseKnobs>> pose_knobs();

using PoseProtocol = KnobProtocol<PoseKnobs>;

// Returns all protocols for poses.
std::span<const PoseProtocol> pose_protocols();

// Throws Error(usage) naming the knob whose value makes no sense.
void check(const PoseKnobs& knobs);

// Returns the area under the recall curve of errors (sorted inside) up to a threshold, as a share of it;
// errors of at most `min_error` are a step there.
double recall_auc(std::vector<double> errors, double threshold, double min_error = 0);

// Returns the mean over k = 1, 2, .. threshold of the share of errors below k, at the threshold itself of
// those up to it. The threshold is a whole number.
double whole_degree_auc(const std::vector<double>& errors, double threshold);

// The matched poses.
struct MatchedPoses {
  std::vector<CameraPose> reference, estimate;
};

// Pairs of places in two lists of poses, or in one.
using PlacePairs = std::vector<std::pair<std::size_t, std::size_t>>;

inline constexpr const char* kNoPair = "there is no pair of poses";

// Returns the angle of a rotation, degrees.
double rotation_angle_deg(const Eigen::Matrix3d& turn);

// Returns the pose of `to` seen from `from`.
CameraPose relative_pose(const CameraPose& from, const CameraPose& to);

// Returns the larger of the angles between two relative poses, of their rotations and of the directions of
// their translations.
double pair_error_deg(const CameraPose& truth, const CameraPose& pose, const PoseKnobs& knobs);

// Adds the statistics that evo prints of errors; `all` also those beyond rmse, mean and median.
void add_statistics(ProtocolResult& result, const std::string& name, const char* unit,
                    std::vector<double> errors, bool all, const char* none = kNoPair);

// Adds the errors of all pairs of poses; `missing` more poses of the reference have no partner.
void add_pairwise(ProtocolResult& result, const MatchedPoses& poses, std::size_t missing,
                  const PoseKnobs& knobs);

// Adds the errors of segments, if lengths of them are given; `pairs` are (place in reference, in estimate).
void add_segments(ProtocolResult& result, const Trajectory& reference, const Trajectory& estimate,
                  const PlacePairs& pairs, const PoseKnobs& knobs);

}  // namespace aqbench
