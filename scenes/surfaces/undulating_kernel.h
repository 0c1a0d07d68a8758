#pragma once
// Closest points of the undulating surface, many at a time. The mathematics stands in undulating_foot.h.

#include <cstddef>

#include "scenes/surfaces/surface.h"

namespace aqbench {

// The constants of the surface z = base + amplitude (sin(wave_x x) + sin(wave_y y)).
struct UndulatingConstants {
  double base_depth_m;
  double amplitude_m;
  double wave_x, wave_y;  // radians per metre
};

// Finds closest points by vectorised Newton on blocks of points. Each result depends on its own point alone,
// bit for bit.
void undulating_closest_points(const UndulatingConstants& surface, std::span<const Vec3> points_m,
                               std::span<ClosestPoint> out);

// Computes the signed distances of the same closest points.
void undulating_signed_distances(const UndulatingConstants& surface, std::span<const Vec3> points_m,
                                 std::span<double> out_m);

// Computes heights and area factors at `count` places.
void undulating_heights(const UndulatingConstants& surface, const double* x_m, const double* y_m,
                        std::size_t count, double* z_m, double* area_factor);

}  // namespace aqbench
