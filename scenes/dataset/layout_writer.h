#pragma once
// Writes a dataset in the layouts of other programs, for methods that read those.

#include <filesystem>
#include <string>
#include <vector>

#include "scenes/optics/camera.h"

namespace aqbench {

// A layout to write, and what it needs beside cameras and images.
struct LayoutRequest {
  std::string layout;                          // "colmap", "transforms" or "mvsnet"
  double least_depth_m = 0, most_depth_m = 0;  // of mvsnet's cameras, along z
};

// The names of the layouts that can be written.
inline constexpr const char* kWrittenLayouts[] = {"colmap", "transforms", "mvsnet"};

// Writes cameras and a copy of one image for each into a new folder. No layout has water: rays are straight
// from each camera's centre. The world and the metre stay, pixels follow the layout's convention
// (docs/layouts.md):
// - colmap: sparse/0/{cameras,images,points3D}.txt, without points, and images/CAMERA.EXT.
// - transforms: transforms.json and images/CAMERA.EXT.
// - mvsnet: cams/NUMBER_cam.txt with DEPTH_MIN INTERVAL 192 DEPTH_MAX, images/NUMBER.EXT, and pair.txt, which
//   lists up to ten sources of each view, the nearest first, with 1000 by their rank as score. NUMBER is
//   the place of the camera.
// Throws Error(input) naming the camera for a lens or a name that the layout cannot hold, Error(io).
void write_layout(const std::filesystem::path& dir, const LayoutRequest& request,
                  const std::vector<Camera>& cameras, const std::vector<std::filesystem::path>& images);

}  // namespace aqbench
