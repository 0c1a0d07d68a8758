#pragma once
// The closest point of a sum of ripples by branch and bound: for points whose foot the vectorised Newton of
// ripple_kernel.h could not prove.

#include "scenes/surfaces/height_field.h"
#include "scenes/surfaces/ripple_kernel.h"

namespace aqbench {

struct RippleFoot {
  double x_m = 0, y_m = 0;
  HeightJet jet{};
  double squared_m2 = 0;  // squared distance from the point
};

// The squared distance is the global minimum but for search_tolerance. `bounds` hold on the whole plane.
// The search begins at (start_x_m, start_y_m): the better the guess, the shorter it is.
RippleFoot search_ripple_foot(const RippleTable& table, const HeightBounds& bounds, const Vec3& point_m,
                              double start_x_m, double start_y_m);

}  // namespace aqbench
