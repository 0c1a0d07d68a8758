#pragma once
// Closest points of the undulating surface, many at a time, and why they are the global ones.
//
// Seen from a point P, call "crests" the lines where the surface comes nearest to P's side: for P above the
// surface (sigma = +1) the smallest z, for P below (sigma = -1) the largest. Each sine is symmetric about its
// crests and about its troughs. A foot beyond a crest or a trough could be mirrored there to the same height
// and nearer to P; so the closest foot lies in P's own half period, in x and in y. Let e be the foot's phase
// from the crest and u that of P, both in [0, pi], and
//   w = gap - a (cos ex + cos ey),   gap = sigma (base - pz),
// the vertical distance from P to the foot (w >= 0, since the ball about P meets no surface and P's side of
// it is connected). The distance is stationary where, with b = w a k^2,
//   e + b sin e = u   in x and in y.
// For given w the left side rises on [0, e*] and falls on [e*, pi] (or rises throughout), from 0 to pi: one
// root with a rising left side, e(w). It decreases with w, so that w - (gap - a (cos ex(w) + cos ey(w)))
// increases strictly: one w. Hence a solution with w >= 0 and 1 + b cos e >= 0 in x and in y is the closest
// foot; nothing else needs to be searched.

#include <cstddef>

#include "scenes/surfaces/surface.h"

namespace aqbench {

// One query in reduced coordinates.
struct UndulatingQuery {
  double amplitude_m;       // a
  double wave_x, wave_y;    // k, radians per metre
  double gap_m;             // sigma (base - pz)
  double phase_x, phase_y;  // u: of the point, from the nearest crest, in [0, pi]
};

// The closest point (foot) in reduced coordinates.
struct UndulatingFoot {
  double phase_x, phase_y;  // e: of the foot, in [0, u]
};

// Finds the foot by bracketed iteration, for any query. It is slow beside the vectorised Newton of
// undulating_kernel.cc, which hands on the few points near a focus of the surface, where Newton does not
// converge.
UndulatingFoot solve_undulating_foot(const UndulatingQuery& query);

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

// Computes heights and their slopes at `count` places.
void undulating_slopes(const UndulatingConstants& surface, const double* x_m, const double* y_m,
                       std::size_t count, double* z_m, double* fx, double* fy);

// Computes heights and area factors at `count` places.
void undulating_heights(const UndulatingConstants& surface, const double* x_m, const double* y_m,
                        std::size_t count, double* z_m, double* area_factor);

}  // namespace aqbench
