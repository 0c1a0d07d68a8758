#pragma once
// What all surfaces by formula share: patch, area, samples and mesh from heights in batches, checks of
// shapes, and composite Gauss-Legendre quadrature.

#include <cstddef>
#include <mutex>
#include <string_view>
#include <vector>

#include "scenes/surfaces/surface.h"

namespace aqbench {

// Bounds of the heights and their derivatives that hold on the whole (x, y) plane.
struct HeightBounds {
  double z_min_m = 0, z_max_m = 0;
  double slope = 0;      // |gradient|
  double curvature = 0;  // spectral norm of the Hessian, 1/m
  double third = 0;      // third directional derivative, 1/m2
};

// Base class of the surfaces by formula. A derived class computes heights in batches; the rest follows from
// them.
class PatchHeightField : public HeightField {
 public:
  // Throws as check(Patch) does.
  explicit PatchHeightField(const Patch& patch);

  // Computes heights and their slopes at `count` places. All arrays hold `count` values. By default from
  // jet(), which is not asked about places that are NaN.
  virtual void slopes(const double* x_m, const double* y_m, std::size_t count, double* z_m, double* fx,
                      double* fy) const;

  // Returns bounds of the surface; the bounds of z are infinite for an inclined plane.
  const HeightBounds& bounds() const { return bounds_; }

  const Patch* patch() const final { return &patch_; }
  double area_m2() const final;
  void sample_positions(std::uint64_t seed, std::uint64_t first_index, std::span<Vec3> out_m) const final;
  SurfaceSamples stratified_samples(double spacing_m, std::uint64_t seed) const final;
  TriangleMesh mesh(double pitch_m) const final;
  void signed_distances(std::span<const Vec3> points_m, std::span<double> out_m) const override;

 protected:
  // Computes heights and area factors sqrt(1 + fx^2 + fy^2) at `count` places. All arrays hold `count`
  // values. By default from jet().
  virtual void heights(const double* x_m, const double* y_m, std::size_t count, double* z_m,
                       double* area_factor) const;
  // Returns a bound that no area factor on the plane exceeds. By default that of the steepest slope.
  virtual double max_area_factor() const;
  // Returns the length in x and in y over which the shape changes, for the panels of the quadrature of the
  // area.
  virtual Vec2 feature_size_m() const = 0;
  // Computes the area of the patch by quadrature, to about 1e-13 relative. Derived classes with a formula
  // override it.
  virtual double compute_area_m2() const;

  HeightBounds bounds_;  // set by the derived class

 private:
  Patch patch_;
  mutable std::once_flag area_once_;
  mutable double area_m2_ = 0;
};

// Returns how much lower, relatively, a squared distance must be for a search to go on: 1e-13, the rounding;
// and 2e-6 for a point more than 10 m from all heights, further than anything that is measured, so that even
// a point a light year away is answered soon.
inline double search_tolerance(double gap_to_heights_m) { return gap_to_heights_m > 10 ? 2e-6 : 1e-13; }

// Returns the closest point of a height field from its place (x, y) and the derivatives there.
ClosestPoint closest_point_at(const Vec3& point_m, double x_m, double y_m, const HeightJet& jet);

// ---- Checks that the shapes share. Each throws Error(usage) "FIELD: ..." where it does not hold ----

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

// ---- Quadrature ----

// Places and weights of a quadrature: the integral of f is about the sum of weight[i] * f(at[i]).
struct QuadratureLine {
  std::vector<double> at, weight;
};

// Returns the quadrature over [low, high] with `panels` equal panels of 12 points each; exact for polynomials
// of degree 23 (Abramowitz and Stegun, table 25.4).
QuadratureLine gauss_legendre(double low, double high, std::size_t panels);

}  // namespace aqbench
