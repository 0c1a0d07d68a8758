#pragma once
// The registered method plane_sweep: depth maps of all cameras by plane-sweep stereo through the water
// surface, those depths that other cameras confirm, one cloud and one surface of them.

#include <string>
#include <vector>

#include "pipeline/method/method.h"

namespace aqbench {

// Side of the matching window, odd, that sees as much of the scene in images of that width as
// `window_at_1600_px` does in images 1600 px wide; 7 to 31 px. A window wider than what the surface bends
// over flattens it: with 11 px in images 480 px wide, undulating has an rmse of 1.08 mm, with 7 px 0.49 mm,
// with 15 px and five refinements 2.3 mm.
int window_of_width(int window_at_1600_px, int width_px);

// depth_maps holds what passed the consistency filter, unfiltered_depth_maps what it was given; both in the
// order of the cameras that are not auxiliary. Throws Error(input) for a dataset that cannot be read,
// Error(method) with the reason if there is no depth range or hardly a depth is confirmed: then the images
// had no texture, or the range or the calibration is wrong, and a cloud would be made of chance matches.
Reconstruction run_plane_sweep(const Observation& observation, const MethodInput& input);

}  // namespace aqbench
