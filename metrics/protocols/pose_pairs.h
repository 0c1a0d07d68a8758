#pragma once
// Parts of pose_errors(): errors of pairs of cameras and of segments of a way.

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "metrics/protocols/pose_protocol.h"
#include "metrics/protocols/protocol_result.h"

namespace aqbench {

// The matched poses.
struct MatchedPoses {
  std::vector<CameraPose> reference, estimate;
};

// Pairs of places in two lists of poses, or in one.
using PosePairs = std::vector<std::pair<std::size_t, std::size_t>>;

inline constexpr const char* kNoPair = "there is no pair of poses";

// Returns the angle of a rotation, degrees.
double rotation_angle_deg(const Eigen::Matrix3d& turn);

// Returns the pose of `to` seen from `from`.
CameraPose relative_pose(const CameraPose& from, const CameraPose& to);

// Adds the statistics that evo prints of errors; `all` also those beyond rmse, mean and median.
void add_statistics(ProtocolResult& result, const std::string& name, const char* unit,
                    std::vector<double> errors, bool all, const char* none = kNoPair);

// Adds the errors of all pairs of poses; `missing` more poses of the reference have no partner.
void add_pairwise(ProtocolResult& result, const MatchedPoses& poses, std::size_t missing,
                  const PoseKnobs& knobs);

// Adds the errors of segments, if lengths of them are given; `pairs` are (place in reference, in estimate).
void add_segments(ProtocolResult& result, const Trajectory& reference, const Trajectory& estimate,
                  const PosePairs& pairs, const PoseKnobs& knobs);

}  // namespace aqbench
