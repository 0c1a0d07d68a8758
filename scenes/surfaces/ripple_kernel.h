#pragma once
// Closest points of a sum of ripples, many at a time, each with a proof or the word that there is none.

#include "scenes/surfaces/ripples.h"
#include "scenes/surfaces/surface.h"

namespace aqbench {

// The ripples as structure of arrays, filled up with ripples of no amplitude.
struct RippleTable {
  double base_depth_m = 0;
  std::vector<double> amplitude_m, wave_x, wave_y, phase;
};
RippleTable make_ripple_table(const RippleFieldShape& shape);

// At one place, vectorised over the ripples.
HeightJet ripple_jet(const RippleTable& table, double x_m, double y_m);

// The proof below with the change of phase d kept within |k| r: then c is only
// 2 (sin t (1 - cos e) + |cos t| (e - sin e)) / e^2, e = min(|k| r, 2 u), and may be negative. Returns an r,
// at most `reach_m`, such that no place within r of the stationary foot (x, y), `depth_m` below a point (side
// +1; above it: -1), is nearer to the point than the foot; 0 where there is none.
double ripple_basin_radius(const RippleTable& table, double x_m, double y_m, double side, double depth_m,
                           double reach_m);

// Newton from straight below. found[i] != 0: out[i] is the global closest point, proven; else it is where
// Newton went, a start for a search. Each result depends on its own point alone, bit for bit.
//
// The proof. A sine with phase t, at distance u in [0, pi] from its nearest maximum, lies above a parabola
// that touches it: sin(t + d) >= sin t + d cos t - c d^2 / 2 with c = sin(u) / u. (Put the maximum at 0: cos
// v + c v^2 / 2 has its least value at v = u, as sin(v) / v falls on [0, pi] and cos v >= -1 beyond.) Summed
// over the ripples: the surface at a foot q lies below (greater z) the paraboloid through q with the same
// gradient and the Hessian -K = -sum a c k k^T. Let w > 0 be the vertical distance from a point above to q,
// where the distance is stationary. Along the paraboloid the squared distance exceeds that of q by |d|^2 - w
// d^T K d + (...)^2, which is not negative if w times the larger eigenvalue of K is at most 1; then the ball
// about the point through q meets neither the paraboloid nor the surface beyond it. For a point below, all is
// mirrored.
void ripple_closest_points(const RippleFieldShape& shape, std::span<const Vec3> points_m,
                           std::span<ClosestPoint> out, std::span<unsigned char> found);

void ripple_heights(const RippleFieldShape& shape, const double* x_m, const double* y_m, std::size_t count,
                    double* z_m, double* area_factor);

}  // namespace aqbench
