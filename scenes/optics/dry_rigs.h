#pragma once
// Where the cameras of rigs without water stand (rig.h), and the parameters that place them.

#include <vector>

#include "core/parameters.h"
#include "scenes/optics/camera.h"

namespace aqbench {

// Where a camera stands, and the point that it looks at.
struct CameraPlace {
  Vec3 centre_m, target_m;
};

// Two rings of 18 cameras about a vertical axis, 20 degrees apart; the upper ring's stand between those of
// the lower. All look at one point.
std::vector<ParameterSpec> orbit_parameters();
std::vector<CameraPlace> orbit_places(const Parameters& parameters);

// A path along +X with steps of one length, which sways from side to side and up and down; every camera looks
// along +X.
std::vector<ParameterSpec> walk_parameters();
std::vector<CameraPlace> walk_places(const Parameters& parameters);

// A circle of 36 cameras, 10 degrees apart, that look outwards from its middle.
std::vector<ParameterSpec> outwards_parameters();
std::vector<CameraPlace> outwards_places(const Parameters& parameters);

// Two cameras side by side along X that look along +Z.
std::vector<ParameterSpec> stereo_parameters();
std::vector<CameraPlace> stereo_places(const Parameters& parameters);

}  // namespace aqbench
