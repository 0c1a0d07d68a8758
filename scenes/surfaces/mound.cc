#include "scenes/surfaces/mound.h"

#include <algorithm>
#include <cmath>

#include "scenes/surfaces/curve_search.h"
#include "scenes/surfaces/height_field.h"
#include "scenes/surfaces/shape_checks.h"

namespace aqbench {
namespace {

class Mound final : public PatchHeightField {
 public:
  Mound(const MoundShape& shape, const Patch& patch) : PatchHeightField(patch), shape_(shape) {
    // Along any straight line the derivatives of exp(-t^2 / 2) are at most exp(-1/2), 1 and 1.3801.
    const double height = std::abs(shape.height_m), radius = shape.radius_m;
    bounds_.z_min_m = shape.base_depth_m - std::max(shape.height_m, 0.0);
    bounds_.z_max_m = shape.base_depth_m - std::min(shape.height_m, 0.0);
    bounds_.slope = std::exp(-0.5) * height / radius;
    bounds_.curvature = height / (radius * radius);
    bounds_.third = 1.3802 * height / (radius * radius * radius);
  }

  HeightBounds bounds() const override { return bounds_; }
  HeightJet jet(double x, double y) const override {
    const double dx = x - shape_.center_x_m, dy = y - shape_.center_y_m;
    const double v = 1 / (shape_.radius_m * shape_.radius_m);
    const double rise = shape_.height_m * std::exp(-0.5 * v * (dx * dx + dy * dy));
    return {shape_.base_depth_m - rise,   rise * v * dx,           rise * v * dy,
            rise * v * (1 - v * dx * dx), -rise * v * v * dx * dy, rise * v * (1 - v * dy * dy)};
  }

  // A solid of revolution: the foot lies in the vertical plane of the axis and the point.
  void closest_points(std::span<const Vec3> points, std::span<ClosestPoint> out) const override {
    const double v = 1 / (shape_.radius_m * shape_.radius_m);
    const auto along_radius = [&](double r) -> CurveJet {
      const double rise = shape_.height_m * std::exp(-0.5 * v * r * r);
      return {shape_.base_depth_m - rise, rise * v * r, rise * v * (1 - v * r * r)};
    };
    for (std::size_t i = 0; i < points.size(); ++i) {
      const double dx = points[i].x() - shape_.center_x_m, dy = points[i].y() - shape_.center_y_m;
      const double from_axis = std::sqrt(dx * dx + dy * dy);
      const double r = closest_abscissa(along_radius, bounds_, from_axis, points[i].z());
      // On the axis every direction is as near: take x.
      const double x = from_axis > 0 ? shape_.center_x_m + dx * (r / from_axis) : shape_.center_x_m + r;
      const double y = from_axis > 0 ? shape_.center_y_m + dy * (r / from_axis) : shape_.center_y_m;
      out[i] = closest_point_at(points[i], x, y, jet(x, y));
    }
  }

 protected:
  void heights(const double* x, const double* y, std::size_t count, double* z,
               double* area_factor) const override {
    for (std::size_t i = 0; i < count; ++i) {
      const HeightJet j = jet(x[i], y[i]);
      z[i] = j.z;
      area_factor[i] = std::sqrt(1 + j.fx * j.fx + j.fy * j.fy);
    }
  }
  double max_area_factor() const override { return std::sqrt(1 + bounds_.slope * bounds_.slope); }
  Vec2 feature_size_m() const override { return {shape_.radius_m, shape_.radius_m}; }

 private:
  MoundShape shape_;
  HeightBounds bounds_;
};

}  // namespace

void check(const MoundShape& shape) {
  require_finite("base_depth_m", shape.base_depth_m);
  require_finite("height_m", shape.height_m);
  require_positive("radius_m", shape.radius_m);
  require_finite("center_x_m", shape.center_x_m);
  require_finite("center_y_m", shape.center_y_m);
  require_slope("height_m", std::exp(-0.5) * std::abs(shape.height_m) / shape.radius_m);
}

std::shared_ptr<const HeightField> make_mound(const MoundShape& shape, const Patch& patch) {
  check(shape);
  check(patch);
  return std::make_shared<Mound>(shape, patch);
}

}  // namespace aqbench
