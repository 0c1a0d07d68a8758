#pragma once
// Reads the truth of a dataset on disk, its folder truth/, which methods do not see, and depth maps.

#include <cstddef>
#include <filesystem>
#include <string>

#include "scenes/cloud/cloud_file.h"
#include "scenes/cloud/reconstruction.h"
#include "scenes/optics/camera.h"
#include "scenes/scene.h"

namespace aqbench {

// Reads the scene with its parameters from truth/scene.json, a mesh from truth/surface.ply. Throws
// Error(input) naming the file and the field if it is missing or not of this format, Error(usage) as
// make_scene does.
Scene read_dataset_scene(const std::filesystem::path& dataset_dir);

// Reads a depth map of a camera from a file: a NumPy array, rows x columns, metres along the (refracted) ray;
// or a PFM file of a camera without water, metres along z, made to depths along the ray. Throws Error(input)
// naming the file and both sizes if they differ, and for integers. Adds to `far_values` how many values stand
// for "nothing here" (drop_far_values()).
DepthMap read_depth_map(const std::filesystem::path& file, const Camera& camera,
                        std::size_t* far_values = nullptr);

// Makes a scan of one camera's depths, in the camera's world frame. Pixels without a depth, or
// whose ray misses the water, give no point. The scanner is unset: water bends the rays, so no single place
// lies on all of them. `file` is for errors. Throws Error(input) naming it if there is no depth.
Scan scan_of_depths(const DepthMap& depths, const Camera& camera, std::string file);

}  // namespace aqbench
