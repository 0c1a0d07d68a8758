#pragma once
// The method plane_sweep: depth maps of all cameras by plane-sweep stereo through the water surface, filtered
// by what other cameras confirm, then joined to one cloud with one surface.

#include <string>
#include <vector>

#include "pipeline/method/method.h"

namespace aqbench {

// Returns the side of the matching window, odd, 7 to 31 px, that in images of that width covers as much of
// the scene as `window_at_1600_px` does in images 1600 px wide. A window that is larger than the bends of a
// surface flattens them: in images 480 px wide, undulating has an rmse of 0.49 mm with 7 px, 1.08 mm with 11
// px, and 2.3 mm with 15 px and five refinements.
int window_of_width(int window_at_1600_px, int width_px);

// Returns how many passes of refinement images of that width get: as many as asked for up to 1600 px, beyond
// that in proportion. A pass smooths over 7 x 7 px, which in wider images is less of the scene.
int refinements_of_width(int refinements_at_1600, int width_px);

// Runs the method. depth_maps holds the depths that passed the consistency filter, unfiltered_depth_maps
// those before it, both in the order of the cameras that are not auxiliary. Throws Error(input) for a dataset
// that cannot be read. Throws Error(method) with the reason if no depth range is found or hardly any depth is
// confirmed: then the images have no texture, or range or calibration are wrong, and a cloud would consist of
// chance matches.
Reconstruction run_plane_sweep(const Observation& observation, const MethodInput& input);

}  // namespace aqbench
