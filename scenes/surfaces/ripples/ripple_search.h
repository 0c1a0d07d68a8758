#pragma once
// The closest point of a sum of ripples by branch and bound: for the points for which ripple_kernel.h has no
// proof.

#include "scenes/surfaces/height_field.h"
#include "scenes/surfaces/ripples/ripple_kernel.h"

namespace aqbench {

// A place on the surface and its distance from the point.
struct RippleFoot {
  double x_m = 0, y_m = 0;
  HeightJet jet{};
  double squared_m2 = 0;  // squared distance from the point
};

// Finds the closest place. Its squared distance is the global minimum within search_tolerance. `bounds` hold
// on the whole plane. The search begins at (start_x_m, start_y_m): the nearer that is to the result, the
// shorter the search.
RippleFoot search_ripple_foot(const RippleTable& table, const HeightBounds& bounds, const Vec3& point_m,
                              double start_x_m, double start_y_m);

}  // namespace aqbench
