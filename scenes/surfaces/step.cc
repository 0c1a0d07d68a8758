#include "scenes/surfaces/step.h"

#include <algorithm>
#include <cmath>

#include "scenes/surfaces/curve_search.h"
#include "scenes/surfaces/height_field.h"
#include "scenes/surfaces/quadrature.h"
#include "scenes/surfaces/shape_checks.h"

namespace aqbench {
namespace {

// 6 t^5 - 15 t^4 + 10 t^3 with t clamped to [0, 1]; its first derivative is at most 15/8, its second
// 10/sqrt(3), its third 60.
CurveJet smootherstep(double at) {
  const double t = std::clamp(at, 0.0, 1.0);
  return {t * t * t * (10 + t * (6 * t - 15)), 30 * t * t * (1 - t) * (1 - t),
          60 * t * (1 - t) * (1 - 2 * t)};
}

class Step final : public PatchHeightField {
 public:
  Step(const StepShape& shape, const Patch& patch) : PatchHeightField(patch), shape_(shape) {
    const double height = std::abs(shape.height_m), width = shape.width_m;
    bounds_.z_min_m = shape.base_depth_m - height / 2;
    bounds_.z_max_m = shape.base_depth_m + height / 2;
    bounds_.slope = 1.875 * height / width;
    bounds_.curvature = 10 / std::sqrt(3.0) * height / (width * width);
    bounds_.third = 60 * height / (width * width * width);
  }

  HeightBounds bounds() const override { return bounds_; }
  HeightJet jet(double x, double) const override {
    const CurveJet p = curve(x);
    return {p.z, p.slope, 0, p.second, 0, 0};
  }
  void closest_points(std::span<const Vec3> points, std::span<ClosestPoint> out) const override {
    const auto along_x = [this](double x) { return curve(x); };
    for (std::size_t i = 0; i < points.size(); ++i) {
      const double x = closest_abscissa(along_x, bounds_, points[i].x(), points[i].z());
      out[i] = closest_point_at(points[i], x, points[i].y(), jet(x, 0));
    }
  }

 protected:
  void heights(const double* x, const double*, std::size_t count, double* z,
               double* area_factor) const override {
    for (std::size_t i = 0; i < count; ++i) {
      const CurveJet p = curve(x[i]);
      z[i] = p.z;
      area_factor[i] = std::sqrt(1 + p.slope * p.slope);
    }
  }
  double max_area_factor() const override { return std::sqrt(1 + bounds_.slope * bounds_.slope); }
  Vec2 feature_size_m() const override { return {shape_.width_m, 1}; }
  // Along x alone, the flats exactly: the quintic joins them with a kink that quadrature should not straddle.
  double compute_area_m2() const override {
    const Patch& p = *patch();
    const double low = std::clamp(shape_.position_m - shape_.width_m / 2, p.x_min_m, p.x_max_m);
    const double high = std::clamp(shape_.position_m + shape_.width_m / 2, p.x_min_m, p.x_max_m);
    double length = (low - p.x_min_m) + (p.x_max_m - high);
    const QuadratureLine line = gauss_legendre(low, high, 32);
    for (std::size_t i = 0; i < line.at.size(); ++i) {
      const double slope = curve(line.at[i]).slope;
      length += line.weight[i] * std::sqrt(1 + slope * slope);
    }
    return length * (p.y_max_m - p.y_min_m);
  }

 private:
  CurveJet curve(double x) const {
    const CurveJet s = smootherstep((x - shape_.position_m) / shape_.width_m + 0.5);
    const double h = shape_.height_m, w = shape_.width_m;
    return {shape_.base_depth_m + h * (s.z - 0.5), h / w * s.slope, h / (w * w) * s.second};
  }

  StepShape shape_;
  HeightBounds bounds_;
};

}  // namespace

void check(const StepShape& shape) {
  require_finite("base_depth_m", shape.base_depth_m);
  require_finite("height_m", shape.height_m);
  require_positive("width_m", shape.width_m);
  require_finite("position_m", shape.position_m);
  require_slope("height_m", 1.875 * std::abs(shape.height_m) / shape.width_m);
}

std::shared_ptr<const HeightField> make_step(const StepShape& shape, const Patch& patch) {
  check(shape);
  check(patch);
  return std::make_shared<Step>(shape, patch);
}

}  // namespace aqbench
