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

// Reads the centres of cameras, by content:
// - COLMAP's images.txt: two lines an image, "ID QW QX QY QZ TX TY TZ CAMERA NAME" and its points; the centre
//   is -R^T t.
// - a .log trajectory of Tanks and Temples and Open3D: a line of three whole numbers, then a 4x4 matrix
//   world_from_camera; the name is the first number.
// - one camera a line: "NAME X Y Z", or "TIME TX TY TZ QX QY QZ QW" (TUM), separated by blanks or commas.
// Throws Error(input) with file and line for anything else, for a camera that comes twice and for a file
// without any.
std::vector<CameraCentre> read_camera_centres(const std::filesystem::path& path);

}  // namespace aqbench
