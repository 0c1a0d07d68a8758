#pragma once
// The intrinsics that a method wrote with its poses.

#include <filesystem>
#include <vector>

#include "scenes/cloud/reconstruction.h"

namespace aqbench {

// Fills in the intrinsics of cameras that read_camera_poses() read from `path`: of a COLMAP model the cameras
// beside its images, of transforms.json fl_x, fl_y, cx, cy, w and h of the frame or the top, and the lens.
// Those that are not there, and a lens that no camera here can hold, stay without. Throws
// Error(input) naming the file and what is malformed.
void read_own_intrinsics(const std::filesystem::path& path, std::vector<OwnCamera>& cameras);

}  // namespace aqbench
