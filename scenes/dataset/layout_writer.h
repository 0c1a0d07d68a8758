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

// What a camera took: its image and the mask of that, a PNG file; empty: none.
struct CameraFiles {
  std::filesystem::path image, mask;
};

// Writes cameras and a copy of one image and mask for each into a new folder. No layout has water: rays are
// straight from each camera's centre. The world and the metre stay, pixels follow the layout's convention
// (docs/layouts.md):
// - colmap: sparse/0/{cameras,images,points3D}.txt, without points, images/CAMERA.EXT, masks/CAMERA.EXT.png.
// - transforms: transforms.json, images/CAMERA.EXT and masks/CAMERA.png, which mask_path names.
// - mvsnet: cams/NUMBER_cam.txt with DEPTH_MIN INTERVAL 192 DEPTH_MAX, images/NUMBER.EXT, masks/NUMBER.png,
//   and pair.txt, which
//   lists up to ten sources of each view, the nearest first, with 1000 by their rank as score. NUMBER is
//   the place of the camera.
// Throws Error(input) naming the camera for a lens or a name that the layout cannot hold, Error(io).
void write_layout(const std::filesystem::path& dir, const LayoutRequest& request,
                  const std::vector<Camera>& cameras, const std::vector<CameraFiles>& files);

}  // namespace aqbench
