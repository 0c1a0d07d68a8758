#include "scenes/surfaces/shapes.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "core/multiversion.h"
#include "scenes/surfaces/curve_search.h"
#include "scenes/surfaces/height_field.h"
#include "scenes/surfaces/undulating_kernel.h"

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
        offset_(shape.depth_m / area_factor_) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    const double slope = std::hypot(shape.slope_x, shape.slope_y);
    bounds_ =
        slope == 0 ? HeightBounds{shape.depth_m, shape.depth_m} : HeightBounds{-kInfinity, kInfinity, slope};
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
};

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
  Vec2 feature_size_m() const override { return {shape_.radius_m, shape_.radius_m}; }

 private:
  MoundShape shape_;
};

class Undulating final : public PatchHeightField {
 public:
  Undulating(const UndulatingShape& shape, const Patch& patch)
      : PatchHeightField(patch),
        shape_(shape),
        wave_x_(2 * std::numbers::pi / shape.wavelength_m),
        wave_y_(wave_x_ / shape.wavelength_ratio) {
    const double a = shape.amplitude_m, k = std::max(wave_x_, wave_y_);
    bounds_ = {shape.base_depth_m - 2 * a, shape.base_depth_m + 2 * a, a * std::hypot(wave_x_, wave_y_),
               a * k * k, a * k * k * k};
  }

  HeightJet jet(double x, double y) const override {
    const double a = shape_.amplitude_m;
    const double sx = a * std::sin(wave_x_ * x), cx = a * std::cos(wave_x_ * x);
    const double sy = a * std::sin(wave_y_ * y), cy = a * std::cos(wave_y_ * y);
    return {shape_.base_depth_m + sx + sy, wave_x_ * cx, wave_y_ * cy, -wave_x_ * wave_x_ * sx, 0,
            -wave_y_ * wave_y_ * sy};
  }

  void slopes(const double* x, const double* y, std::size_t count, double* z, double* fx,
              double* fy) const override {
    undulating_slopes(constants(), x, y, count, z, fx, fy);
  }

  void closest_points(std::span<const Vec3> points, std::span<ClosestPoint> out) const override {
    undulating_closest_points(constants(), points, out);
  }
  void signed_distances(std::span<const Vec3> points, std::span<double> out) const override {
    undulating_signed_distances(constants(), points, out);
  }

 protected:
  void heights(const double* x, const double* y, std::size_t count, double* z,
               double* area_factor) const override {
    undulating_heights(constants(), x, y, count, z, area_factor);
  }
  double max_area_factor() const override {
    const double a = shape_.amplitude_m;
    return std::sqrt(1 + a * a * (wave_x_ * wave_x_ + wave_y_ * wave_y_)) * (1 + 1e-14);
  }
  Vec2 feature_size_m() const override {
    return {shape_.wavelength_m / 2, shape_.wavelength_m * shape_.wavelength_ratio / 2};
  }

 private:
  UndulatingConstants constants() const {
    return {shape_.base_depth_m, shape_.amplitude_m, wave_x_, wave_y_};
  }

  UndulatingShape shape_;
  double wave_x_, wave_y_;  // radians per metre
};

}  // namespace

void check(const PlaneShape& shape) {
  require_finite("depth_m", shape.depth_m);
  require_slope("slope_x, slope_y", std::hypot(shape.slope_x, shape.slope_y));
}

std::shared_ptr<const HeightField> make_plane(const PlaneShape& shape, const Patch& patch) {
  check(shape);
  return std::make_shared<Plane>(shape, patch);
}

void check(const StepShape& shape) {
  require_finite("base_depth_m", shape.base_depth_m);
  require_finite("height_m", shape.height_m);
  require_positive("width_m", shape.width_m);
  require_finite("position_m", shape.position_m);
  require_slope("height_m", 1.875 * std::abs(shape.height_m) / shape.width_m);
}

std::shared_ptr<const HeightField> make_step(const StepShape& shape, const Patch& patch) {
  check(shape);
  return std::make_shared<Step>(shape, patch);
}

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
  return std::make_shared<Mound>(shape, patch);
}

void check(const UndulatingShape& shape) {
  require_finite("base_depth_m", shape.base_depth_m);
  require_not_negative("amplitude_m", shape.amplitude_m);
  require_positive("wavelength_m", shape.wavelength_m);
  require_positive("wavelength_ratio", shape.wavelength_ratio);
  const double steepest_x = 2 * std::numbers::pi * shape.amplitude_m / shape.wavelength_m;
  require_slope("amplitude_m", std::hypot(steepest_x, steepest_x / shape.wavelength_ratio));
}

std::shared_ptr<const HeightField> make_undulating(const UndulatingShape& shape, const Patch& patch) {
  check(shape);
  return std::make_shared<Undulating>(shape, patch);
}

}  // namespace aqbench
