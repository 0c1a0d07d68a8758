#pragma once
// The closest point of a height field by branch and bound: slow, for any smooth surface, exact.

#include "scenes/height_field.h"

namespace aqbench {

struct Foot {
  double x_m = 0, y_m = 0;
  HeightJet jet{};
  double squared_m2 = 0;  // squared distance from the point
};

// The foot of `point_m` on z = f(x, y): the squared distance is within 1e-13 of the global minimum,
// relatively. `bounds` hold on the whole plane.
Foot closest_foot(const HeightField& field, const HeightBounds& bounds, const Vec3& point_m);

}  // namespace aqbench
