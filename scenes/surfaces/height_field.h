#pragma once
// What all surfaces by formula share: patch, area, samples and mesh, from heights in batches.

#include <mutex>

#include "scenes/surfaces/surface.h"

namespace aqbench {

// Bounds that hold on the whole (x, y) plane.
struct HeightBounds {
  double z_min_m = 0, z_max_m = 0;
  double slope = 0;      // |gradient|
  double curvature = 0;  // spectral norm of the Hessian, 1/m
  double third = 0;      // third directional derivative, 1/m2
};

class PatchHeightField : public HeightField {
 public:
  explicit PatchHeightField(const Patch& patch) : patch_(patch) {}

  // Infinite z bounds for an inclined plane.
  virtual HeightBounds bounds() const = 0;

  const Patch* patch() const final { return &patch_; }
  double area_m2() const final;
  void sample_positions(std::uint64_t seed, std::uint64_t first_index, std::span<Vec3> out_m) const final;
  SurfaceSamples stratified_samples(double spacing_m, std::uint64_t seed) const final;
  TriangleMesh mesh(double pitch_m) const final;
  void signed_distances(std::span<const Vec3> points_m, std::span<double> out_m) const override;

 protected:
  // Heights and area factors sqrt(1 + fx^2 + fy^2) at `count` places; all arrays hold `count`.
  virtual void heights(const double* x_m, const double* y_m, std::size_t count, double* z_m,
                       double* area_factor) const = 0;
  // Not below any area factor on the plane.
  virtual double max_area_factor() const = 0;
  // Length over which the shape changes in x and y, for the panels of the area's quadrature.
  virtual Vec2 feature_size_m() const = 0;
  // Quadrature to about 1e-13 relative unless the surface knows better.
  virtual double compute_area_m2() const;

 private:
  Patch patch_;
  mutable std::once_flag area_once_;
  mutable double area_m2_ = 0;
};

// How much lower, relatively, a squared distance must be for a search to go on looking for it: the last
// digits; and a millionth for a point more than 10 m from all heights, which nothing measured is, so that
// even a point a light year away is answered soon.
inline double search_tolerance(double gap_to_heights_m) { return gap_to_heights_m > 10 ? 2e-6 : 1e-13; }

// The closest point of a height field, given its foot and the derivatives there.
ClosestPoint closest_point_at(const Vec3& point_m, double x_m, double y_m, const HeightJet& jet);

}  // namespace aqbench
