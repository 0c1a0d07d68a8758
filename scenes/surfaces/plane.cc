#include "scenes/surfaces/plane.h"

#include <cmath>
#include <limits>

#include "core/multiversion.h"
#include "scenes/surfaces/height_field.h"
#include "scenes/surfaces/shape_checks.h"

namespace aqbench {
namespace {

AQBENCH_MULTIVERSION void plane_distances(const Vec3* points, std::size_t count, double nx, double ny,
                                          double nz, double offset, double* out) {
  for (std::size_t i = 0; i < count; ++i) {
    const double* p = points[i].data();
    out[i] = nx * p[0] + ny * p[1] + nz * p[2] + offset;
  }
}

AQBENCH_MULTIVERSION void plane_feet(const Vec3* points, std::size_t count, double nx, double ny, double nz,
                                     double offset, ClosestPoint* out) {
  for (std::size_t i = 0; i < count; ++i) {
    const double* p = points[i].data();
    const double distance = nx * p[0] + ny * p[1] + nz * p[2] + offset;
    double* foot = out[i].position_m.data();
    double* normal = out[i].normal.data();
    foot[0] = p[0] - distance * nx;
    foot[1] = p[1] - distance * ny;
    foot[2] = p[2] - distance * nz;
    normal[0] = nx;
    normal[1] = ny;
    normal[2] = nz;
    out[i].signed_distance_m = distance;
  }
}

class Plane final : public PatchHeightField {
 public:
  Plane(const PlaneShape& shape, const Patch& patch)
      : PatchHeightField(patch),
        shape_(shape),
        area_factor_(std::sqrt(1 + shape.slope_x * shape.slope_x + shape.slope_y * shape.slope_y)),
        normal_(Vec3(shape.slope_x, shape.slope_y, -1) / area_factor_),
        offset_(shape.depth_m / area_factor_) {}

  HeightBounds bounds() const override {
    const double slope = std::hypot(shape_.slope_x, shape_.slope_y);
    if (slope == 0) return {shape_.depth_m, shape_.depth_m, 0, 0, 0};
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    return {-kInfinity, kInfinity, slope, 0, 0};
  }
  HeightJet jet(double x, double y) const override {
    return {
        shape_.depth_m + shape_.slope_x * x + shape_.slope_y * y, shape_.slope_x, shape_.slope_y, 0, 0, 0};
  }
  void closest_points(std::span<const Vec3> points, std::span<ClosestPoint> out) const override {
    plane_feet(points.data(), points.size(), normal_.x(), normal_.y(), normal_.z(), offset_, out.data());
  }
  void signed_distances(std::span<const Vec3> points, std::span<double> out) const override {
    plane_distances(points.data(), points.size(), normal_.x(), normal_.y(), normal_.z(), offset_, out.data());
  }

 protected:
  void heights(const double* x, const double* y, std::size_t count, double* z,
               double* area_factor) const override {
    for (std::size_t i = 0; i < count; ++i) {
      z[i] = shape_.depth_m + shape_.slope_x * x[i] + shape_.slope_y * y[i];
      area_factor[i] = area_factor_;
    }
  }
  double max_area_factor() const override { return area_factor_; }
  Vec2 feature_size_m() const override { return {1, 1}; }
  double compute_area_m2() const override {
    const Patch& p = *patch();
    return (p.x_max_m - p.x_min_m) * (p.y_max_m - p.y_min_m) * area_factor_;
  }

 private:
  PlaneShape shape_;
  double area_factor_;
  Vec3 normal_;
  double offset_;  // signed distance of the origin
};

}  // namespace

void check(const PlaneShape& shape) {
  require_finite("depth_m", shape.depth_m);
  require_slope("slope_x, slope_y", std::hypot(shape.slope_x, shape.slope_y));
}

std::shared_ptr<const HeightField> make_plane(const PlaneShape& shape, const Patch& patch) {
  check(shape);
  check(patch);
  return std::make_shared<Plane>(shape, patch);
}

}  // namespace aqbench
