#pragma once
// Reads a scene of Tanks and Temples: photographs, the trajectory of its reference reconstruction, truth.

#include <filesystem>

#include "scenes/dataset/layout.h"

namespace aqbench {

// Returns the trajectory of a folder, NAME_COLMAP_SfM.log; empty if there is none or more than one.
std::filesystem::path find_tanks_trajectory(const std::filesystem::path& dir);

// Reads the trajectory: three whole numbers, then world_from_camera as 4 x 4 (x right, y down, z forward) for
// each image in images/, in NAME/ or beside it, in the order of their names, the first of the numbers
// counting from 0. An image without pose has -1 as second number, and is left out. The benchmark gives no intrinsics: they are
// read from intrinsics.json, as Open3D writes a pinhole camera ("width", "height", "intrinsic_matrix" by
// columns; (0, 0) is the centre of the first pixel). Truth: NAME.ply in metres, NAME_trans.txt, which moves
// the cameras into its frame, and NAME.json, the crop. Throws Error(input) naming file and line or field.
LayoutCameras read_tanks_folder(const std::filesystem::path& dir);

}  // namespace aqbench
