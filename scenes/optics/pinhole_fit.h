#pragma once
// The pinhole camera that a calibration in water without a model of refraction would find.

#include "scenes/optics/camera.h"

namespace aqbench {

// Returns the camera as a pinhole without an interface: fx, fy, cx, cy, k1, k2, p1 and p2 that image points
// at `distance_m` from its centre nearest (least squares of pixels) to where it images them through its
// water or port; its pose stays. The points are those of a grid of 33 x 25 pixels over the whole image, as
// many as its rays reach. A camera without an interface stays as it is. Throws Error(input) "camera 'NAME':
// ..." where the water begins farther away, or too few rays reach it.
Camera pinhole_fit(const Camera& camera, double distance_m);

}  // namespace aqbench
