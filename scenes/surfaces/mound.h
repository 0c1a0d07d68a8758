#pragma once
// A Gaussian mound.

#include <memory>

#include "scenes/surfaces/surface.h"

namespace aqbench {

// A Gaussian rise towards the cameras: z = base_depth_m - height_m exp(-r^2 / (2 radius_m^2)), r the distance
// from the centre.
struct MoundShape {
  double base_depth_m = 1.178;
  double height_m = 0.030;
  double radius_m = 0.050;  // standard deviation
  double center_x_m = 0;
  double center_y_m = 0;
};

// Throws Error(usage) naming the field that is not finite, not positive where it must be, or makes the
// surface too steep.
void check(const MoundShape& shape);

// Makes a mound with this patch. Throws Error(usage) as check() does.
std::shared_ptr<const HeightField> make_mound(const MoundShape& shape, const Patch& patch);

}  // namespace aqbench
