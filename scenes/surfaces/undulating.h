#pragma once
// One sine across x plus another across y.

#include <memory>

#include "scenes/surfaces/surface.h"

namespace aqbench {

// An undulating surface: z = base_depth_m + amplitude_m (sin(2 pi x / wavelength_m) + sin(2 pi y /
// (wavelength_m wavelength_ratio)))
struct UndulatingShape {
  double base_depth_m = 1.178;
  double amplitude_m = 0.005;
  double wavelength_m = 0.05;
  double wavelength_ratio = 1.3;
};

// Throws Error(usage) naming the field that is not finite, not positive where it must be, or makes the
// surface too steep.
void check(const UndulatingShape& shape);

// Makes an undulating surface with this patch. Throws Error(usage) as check() does.
std::shared_ptr<const HeightField> make_undulating(const UndulatingShape& shape, const Patch& patch);

}  // namespace aqbench
