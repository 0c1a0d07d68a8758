#pragma once
// Reads camera positions from files of other programs.

#include <filesystem>
#include <string>
#include <vector>

#include "scenes/cloud/reconstruction.h"

namespace aqbench {

// The position of one camera.
struct CameraCentre {
  std::string name;
  Vec3 centre;  // in the file's frame and unit
};

// Reads the centres of cameras from a folder that holds images.bin or images.txt of COLMAP (itself, or in
// sparse/0, sparse or colmap), from images.bin, or from a text, by its content:
// - COLMAP's images.txt (scenes/cloud/colmap.h); the centre is -R^T t.
// - a .log trajectory of Tanks and Temples and Open3D: a line of three whole numbers, then a 4x4 matrix
//   world_from_camera; the name is the first number.
// - "TIME TX TY TZ QX QY QZ QW" (TUM), separated by blanks or commas.
// - "NAME X Y Z", separated by blanks or commas. A name may hold them, too, in quotation marks where it would
//   end in a number.
// Throws Error(input) with file and line for anything else, for a camera that comes twice and for a file
// without any.
std::vector<CameraCentre> read_camera_centres(const std::filesystem::path& path);

}  // namespace aqbench
