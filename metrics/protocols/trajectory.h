#pragma once
// Trajectories of cameras, from the text files of TUM and KITTI.

#include <Eigen/Core>
#include <cstddef>
#include <filesystem>
#include <utility>
#include <vector>

#include "scenes/cloud/reconstruction.h"

namespace aqbench {

// Where a camera stood and how it was turned: x_world = rotation x_camera + position_m.
struct CameraPose {
  Eigen::Matrix3d rotation = Eigen::Matrix3d::Identity();
  Vec3 position_m = Vec3::Zero();
};

// Poses in their order. `stamps_s` is as long as `poses`, or empty where the format has no times.
struct Trajectory {
  std::vector<double> stamps_s;
  std::vector<CameraPose> poses;
};

// Reads a trajectory by its number of columns: 8 as TUM's "TIME TX TY TZ QX QY QZ QW" (quaternions are scaled
// to unit length), 12 as KITTI's first three rows of world_from_camera. Lines that start with '#' are
// skipped. Throws Error(input) with file and line for anything else, for numbers that are not finite, a
// quaternion of zero, a matrix that is no rotation within 1e-3, and a file without poses.
Trajectory read_trajectory(const std::filesystem::path& path);

// Pairs poses by time as evo does (evo/core/sync.py): each pose of the shorter trajectory with the nearest in
// time of the longer one, if at most `max_difference_s` away; without times by their place, for which both
// must have as many. Returns (index in reference, index in estimate). Throws Error(input) where none match or
// the counts differ.
std::vector<std::pair<std::size_t, std::size_t>> pair_poses(const Trajectory& reference,
                                                            const Trajectory& estimate,
                                                            double max_difference_s);

}  // namespace aqbench
