#pragma once
// A seeded set of ripples of many wavelengths and directions, its surface, and closest points of that with a
// proof that each is the global one, or with a note that it has no proof.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "scenes/surfaces/surface.h"

namespace aqbench {

// One ripple: amplitude_m sin(wave_x x + wave_y y + phase).
struct Ripple {
  double amplitude_m = 0;
  double wave_x = 0, wave_y = 0;  // radians per metre
  double phase = 0;               // radians
};

// A surface of ripples: z = base_depth_m + the sum of its ripples.
struct RippleFieldShape {
  double base_depth_m = 1.178;
  std::vector<Ripple> ripples;
};

// How ripples are drawn: wavelengths spread over the range (one in each of `ripples` equal steps of its
// logarithm), random directions and phases, amplitudes proportional to the wavelength (so that all are
// equally steep). The root mean square of the height about its mean, over the whole plane, is rms_m.
struct RippleOptions {
  double base_depth_m = 1.178;
  double rms_m = 0.003;
  std::int64_t ripples = 12;
  double wavelength_min_m = 0.03;
  double wavelength_max_m = 0.12;
  std::uint64_t seed = 1;
};

// Throws Error(usage) naming the field that is not finite, not positive where it must be, or makes the
// surface too steep.
void check(const RippleFieldShape& shape);

// Throws Error(usage) naming the field that is not finite or not positive where it must be.
void check(const RippleOptions& options);

// Draws the ripples. Throws Error(usage) as check() does.
RippleFieldShape make_ripples(const RippleOptions& options);

// Makes a surface of ripples with this patch. Throws Error(usage) as check() does.
std::shared_ptr<const HeightField> make_ripple_field(const RippleFieldShape& shape, const Patch& patch);

// ---- Closest points of a sum of ripples, many at a time ----

// The ripples as a structure of arrays, padded with ripples of amplitude 0.
struct RippleTable {
  double base_depth_m = 0;
  std::vector<double> amplitude_m, wave_x, wave_y, phase;
};

// Makes the table of a shape.
RippleTable make_ripple_table(const RippleFieldShape& shape);

// Returns height and derivatives at one place; vectorised over the ripples.
HeightJet ripple_jet(const RippleTable& table, double x_m, double y_m);

// Returns a radius r, at most `reach_m`, such that no place within r of the stationary foot (x, y) is nearer
// to the point than the foot; 0 where none is proven. The foot lies `depth_m` below the point (side = +1), or
// above it (side = -1).
// The proof is that of ripple_closest_points with the change of phase d kept within |k| r. Then c is only 2
// (sin t (1 - cos e) + |cos t| (e - sin e)) / e^2 with e = min(|k| r, 2 u), and may be negative.
double ripple_basin_radius(const RippleTable& table, double x_m, double y_m, double side, double depth_m,
                           double reach_m);

// Finds closest points by Newton's method from straight below each point. If found[i] != 0, out[i] is the
// global closest point, proven; else it is where Newton's method ended, a start for a search. Each result
// depends on its own point alone, bit for bit.
//
// The proof. A sine with phase t, at distance u in [0, pi] from its nearest maximum, lies above a parabola
// that touches it: sin(t + d) >= sin t + d cos t - c d^2 / 2 with c = sin(u) / u. (Put the maximum at 0: cos
// v + c v^2 / 2 has its least value at v = u, because sin(v) / v falls on [0, pi] and cos v >= -1 beyond.)
// Summed over the ripples: the surface near a foot q lies below (at greater z than) the paraboloid through q
// with the same gradient and the Hessian -K = -sum a c k k^T. Let w > 0 be the vertical distance from a point
// above to q, where the distance is stationary. Along the paraboloid the squared distance exceeds that of q
// by |d|^2 - w d^T K d + (...)^2. This is not negative if w times the larger eigenvalue of K is at most 1;
// then the ball about the point through q meets neither the paraboloid nor the surface beyond it. For a point
// below the surface all is mirrored.
void ripple_closest_points(const RippleFieldShape& shape, std::span<const Vec3> points_m,
                           std::span<ClosestPoint> out, std::span<unsigned char> found);

// Computes heights and area factors at `count` places.
void ripple_heights(const RippleFieldShape& shape, const double* x_m, const double* y_m, std::size_t count,
                    double* z_m, double* area_factor);

}  // namespace aqbench
