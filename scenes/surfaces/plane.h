#pragma once
// Horizontal and inclined planes.

#include <memory>

#include "scenes/surfaces/surface.h"

namespace aqbench {

// A plane: z = depth_m + slope_x x + slope_y y.
struct PlaneShape {
  double depth_m = 1.178;
  double slope_x = 0;  // metres per metre
  double slope_y = 0;
};

// Throws Error(usage) naming the field that is not finite, not positive where it must be, or makes the
// surface too steep.
void check(const PlaneShape& shape);

// Makes a plane with this patch. Throws Error(usage) as check() does.
std::shared_ptr<const HeightField> make_plane(const PlaneShape& shape, const Patch& patch);

}  // namespace aqbench
