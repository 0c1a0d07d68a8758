#pragma once
// Closest points of the undulating surface, many at a time. The mathematics stands in undulating_foot.h.

#include "scenes/surfaces/surface.h"

namespace aqbench {

struct UndulatingConstants {
  double base_depth_m;
  double amplitude_m;
  double wave_x, wave_y;  // radians per metre
};

// Vectorised Newton on blocks of points; each result depends on its own point alone, bit for bit.
void undulating_closest_points(const UndulatingConstants& surface, std::span<const Vec3> points_m,
                               std::span<ClosestPoint> out);
void undulating_signed_distances(const UndulatingConstants& surface, std::span<const Vec3> points_m,
                                 std::span<double> out_m);
void undulating_heights(const UndulatingConstants& surface, const double* x_m, const double* y_m,
                        std::size_t count, double* z_m, double* area_factor);

}  // namespace aqbench
