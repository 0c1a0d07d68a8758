#pragma once
// Trajectories of cameras, and which of their poses belong together.

#include <Eigen/Core>
#include <cstddef>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

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
  bool has_frames = false;  // `stamps_s` are numbers of frames, from 0
};

// Reads a trajectory, whose numbers are separated by blanks or commas. The first line, or a comment before
// it, may name the columns ("# timestamp tx ty tz qx qy qz qw", "#timestamp [ns], p_RS_R_x [m], ..., q_RS_w
// [],
// ..."): then time, position and quaternion are taken by their names. Else by the number of columns: 8 as
// TUM's "TIME TX TY TZ QX QY QZ QW", 17 as EuRoC's "TIME[ns] TX TY TZ QW QX QY QZ" and velocity and biases,
// 12 as KITTI's first three rows of world_from_camera, 13 as these after the number of the frame
// (kitti-odom-eval). Quaternions are scaled to unit length. Lines that
// start with '#' are skipped. Throws Error(input) with file and line for anything else, for numbers that are
// not finite, a quaternion of zero, a matrix that is no rotation within 1e-3, a time that is not after that
// of the pose before, and a file without poses. A folder, images.bin, images.txt and a file of JSON are
// read by read_camera_poses() (scenes/cloud/camera_poses.h), with names.
Trajectory read_trajectory(const std::filesystem::path& path);

// Pairs poses by time as evo does (evo/core/sync.py): each pose of the shorter trajectory with the nearest in
// time of the longer one, if at most `max_difference_s` away; where several have the same nearest, only the
// closest of them; numbers of frames also with places. With names, by the file names in them. Else by their
// place, for which both must have as many. Returns (index in reference, index in estimate). Throws
// Error(input) where none match, the counts differ, or one trajectory alone has names.
std::vector<std::pair<std::size_t, std::size_t>> pair_poses(const Trajectory& reference,
                                                            const Trajectory& estimate,
                                                            double max_difference_s);

}  // namespace aqbench
