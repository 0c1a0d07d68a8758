#pragma once
// Makes scans of depth maps: points in the world frame.

#include <string>

#include "scenes/cloud/cloud_file.h"
#include "scenes/optics/camera.h"

namespace aqbench {

// Makes a scan of the depths of one camera, in the frame of the camera and the water. Pixels without a depth,
// or whose ray reaches no water, give no point. The scanner is not set: where the water bends rays, no single
// place lies on all of them. `file` is kept for errors. Throws Error(input) naming it if there is no depth at
// all.
Scan scan_of_depths(const DepthMap& depths, const Camera& camera, const WaterInterface& water,
                    std::string file);

}  // namespace aqbench
