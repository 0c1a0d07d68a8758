#pragma once
// Reads a scene of ETH3D's training set of high resolution, as its archives unpack it.

#include <filesystem>

#include "scenes/dataset/layout.h"

namespace aqbench {

// Returns whether a folder holds dslr_calibration_undistorted/, a COLMAP model.
bool is_eth3d_folder(const std::filesystem::path& dir);
// Reads the undistorted cameras and finds their images in images/. The truth is the scans of
// dslr_scan_eval/scan_alignment.mlp, where that is there, in metres and in the cameras' world; depth maps and
// meshes for occlusion belong to the distorted images and are not read. Throws Error(input) as
// read_colmap_model(), colmap_cameras(), named_image() and scans_of_project() do, and for a scan that the
// project names and that is missing.
LayoutCameras read_eth3d_folder(const std::filesystem::path& dir);

}  // namespace aqbench
