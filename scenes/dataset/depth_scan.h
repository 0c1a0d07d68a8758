#pragma once
// Converts depth maps to scans: points in the world frame.

#include <string>

#include "scenes/cloud/cloud_file.h"
#include "scenes/optics/camera.h"

namespace aqbench {

// Makes a scan of one camera's depths, in the camera's world frame. Pixels without a depth, or
// whose ray misses the water, give no point. The scanner is unset: water bends the rays, so no single place
// lies on all of them. `file` is for errors. Throws Error(input) naming it if there is no depth.
Scan scan_of_depths(const DepthMap& depths, const Camera& camera, std::string file);

}  // namespace aqbench
