#pragma once
// Checks that the surfaces' shapes share. Each throws Error(usage) "FIELD: ..." where it does not hold.

#include <string_view>

#include "scenes/surfaces/surface.h"

namespace aqbench {

// The steepest slope that is accepted anywhere (84 degrees): beyond it a height field makes no sense.
inline constexpr double kMaxSlope = 10.0;

// Throws unless `holds`: "FIELD: must be MUST, got VALUE".
void require_shape(bool holds, std::string_view field, std::string_view must, double value);

// Throws unless the value is finite.
void require_finite(std::string_view field, double value);

// Throws unless the value is finite and above 0.
void require_positive(std::string_view field, double value);

// Throws unless the value is finite and at least 0.
void require_not_negative(std::string_view field, double value);

// Throws if the slope is above kMaxSlope.
void require_slope(std::string_view field, double slope);

// Throws for a patch with a limit that is not finite, narrower than 1 mm, or larger than 4 m2.
void check(const Patch& patch);

}  // namespace aqbench
