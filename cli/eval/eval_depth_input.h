#pragma once
// Depth maps that `aqbench eval` reads, to be scored or taken as truth.

#include <optional>
#include <string>

#include "scenes/cloud/cloud_file.h"
#include "scenes/optics/rig.h"

namespace aqbench::cli {

// What the values of a depth map's file are.
struct DepthMeaning {
  std::optional<bool> along_z;             // unset: NPY is along the refracted ray, others are refused
  std::optional<double> metres_per_unit;   // of values that are lengths; unset: they are metres
  std::optional<double> metres_per_count;  // of a map of counts (integers)
};

// Returns the camera of that name. Throws Error(usage) naming the flag and the cameras that there are.
const Camera& named_camera(const Rig& rig, const std::string& name, const std::string& flag);

// Reads a depth map of a camera, in metres along the refracted rays. Throws Error(usage) where no flag says
// what its values are, Error(input) for a file that does not fit the camera.
DepthMap read_given_depths(const std::string& file, const DepthMeaning& meaning, const Camera& camera);

// Reads a depth map given as CAMERA=FILE and puts its depths into the world frame, as one scan
// (scan_of_depths()). Throws as read_given_depths() does, and
// Error(input) if it has no depth.
Scan read_depth_scan(const std::string& camera_and_file, const DepthMeaning& meaning, const Rig& rig);

}  // namespace aqbench::cli
