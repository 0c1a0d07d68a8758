#pragma once
// Two flats joined by a smooth step.

#include <memory>

#include "scenes/surfaces/surface.h"

namespace aqbench {

// A smooth step across x: z = base_depth_m - height_m / 2 where x is small, base_depth_m + height_m / 2 where
// x is large, joined over width_m by the quintic whose first and second derivatives are continuous
// ("smootherstep": Perlin, "Improving noise", 2002).
struct StepShape {
  double base_depth_m = 1.178;  // half way down
  double height_m = 0.020;
  double width_m = 0.030;
  double position_m = 0;  // x of the middle
};

// Throws Error(usage) naming the field that is not finite, not positive where it must be, or makes the
// surface too steep.
void check(const StepShape& shape);

// Makes a step with this patch. Throws Error(usage) as check() does.
std::shared_ptr<const HeightField> make_step(const StepShape& shape, const Patch& patch);

}  // namespace aqbench
