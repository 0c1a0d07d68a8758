#pragma once
// Places and ports of the registered rigs whose cameras look through flat ports or domes. Every camera looks
// down at a point of the bottom, about which the rig stands; the world is that of the other rigs.

#include <vector>

#include "core/parameters.h"
#include "scenes/optics/camera.h"
#include "scenes/optics/rig_parts.h"

namespace aqbench {

// A pair of cameras, side by side, in six poses: straight above, and five about it, tilted.
std::vector<ParameterSpec> port_stereo_parameters();
std::vector<CameraPlace> port_stereo_places(const Parameters& parameters);

// One camera at 3 x 3 stations, at each of which it looks straight down and obliquely at the same point.
std::vector<ParameterSpec> port_survey_parameters();
std::vector<CameraPlace> port_survey_places(const Parameters& parameters);

// Returns the parameters of housings, and the port that they set.
std::vector<ParameterSpec> housing_parameters();
Interface housing_port(const Parameters& parameters, const CameraFromWorld& pose);

// Four cameras that look into a tank through one of its walls, a pane in z = wall_z_m.
std::vector<ParameterSpec> tank_wall_parameters();
std::vector<CameraPlace> tank_wall_places(const Parameters& parameters);
Interface tank_wall_port(const Parameters& parameters, const CameraFromWorld& pose);

}  // namespace aqbench
