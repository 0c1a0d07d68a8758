#include "scenes/surfaces/undulating.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "scenes/surfaces/height_field.h"
#include "scenes/surfaces/shape_checks.h"
#include "scenes/surfaces/undulating_kernel.h"

namespace aqbench {
namespace {

class Undulating final : public PatchHeightField {
 public:
  Undulating(const UndulatingShape& shape, const Patch& patch)
      : PatchHeightField(patch),
        shape_(shape),
        wave_x_(2 * std::numbers::pi / shape.wavelength_m),
        wave_y_(wave_x_ / shape.wavelength_ratio) {}

  HeightBounds bounds() const override {
    const double a = shape_.amplitude_m, k = std::max(wave_x_, wave_y_);
    return {shape_.base_depth_m - 2 * a, shape_.base_depth_m + 2 * a, a * std::hypot(wave_x_, wave_y_),
            a * k * k, a * k * k * k};
  }
  HeightJet jet(double x, double y) const override {
    const double a = shape_.amplitude_m;
    const double sx = a * std::sin(wave_x_ * x), cx = a * std::cos(wave_x_ * x);
    const double sy = a * std::sin(wave_y_ * y), cy = a * std::cos(wave_y_ * y);
    return {shape_.base_depth_m + sx + sy, wave_x_ * cx, wave_y_ * cy, -wave_x_ * wave_x_ * sx, 0,
            -wave_y_ * wave_y_ * sy};
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
  check(patch);
  return std::make_shared<Undulating>(shape, patch);
}

}  // namespace aqbench
