// undulating: one sine across x, another across y.

#include <cmath>
#include <numbers>

#include "scenes/height_field.h"
#include "scenes/surfaces.h"
#include "scenes/undulating_foot.h"

namespace aqbench {
namespace {

class Undulating final : public PatchHeightField {
 public:
  Undulating(const UndulatingShape& shape, const Patch& patch)
      : PatchHeightField(patch),
        shape_(shape),
        wave_x_(2 * std::numbers::pi / shape.wavelength_m),
        wave_y_(wave_x_ / shape.wavelength_ratio) {}

  HeightJet jet(double x, double y) const override {
    const double a = shape_.amplitude_m;
    const double sx = a * std::sin(wave_x_ * x), cx = a * std::cos(wave_x_ * x);
    const double sy = a * std::sin(wave_y_ * y), cy = a * std::cos(wave_y_ * y);
    return {shape_.base_depth_m + sx + sy, wave_x_ * cx, wave_y_ * cy, -wave_x_ * wave_x_ * sx, 0,
            -wave_y_ * wave_y_ * sy};
  }

  void closest_points(std::span<const Vec3> points, std::span<ClosestPoint> out) const override {
    for (std::size_t i = 0; i < points.size(); ++i) {
      const double px = points[i].x(), py = points[i].y();
      const double side = jet(px, py).z - points[i].z() >= 0 ? 1 : -1;
      const double from_x = phase_from_crest(px * wave_x_, side),
                   from_y = phase_from_crest(py * wave_y_, side);
      const UndulatingFoot foot = solve_undulating_foot({shape_.amplitude_m, wave_x_, wave_y_,
                                                         side * (shape_.base_depth_m - points[i].z()),
                                                         std::abs(from_x), std::abs(from_y)});
      const double x = px + (std::copysign(foot.phase_x, from_x) - from_x) / wave_x_;
      const double y = py + (std::copysign(foot.phase_y, from_y) - from_y) / wave_y_;
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
  double max_area_factor() const override {
    const double a = shape_.amplitude_m;
    return std::sqrt(1 + a * a * (wave_x_ * wave_x_ + wave_y_ * wave_y_)) * (1 + 1e-14);
  }
  Vec2 feature_size_m() const override {
    return {shape_.wavelength_m / 2, shape_.wavelength_m * shape_.wavelength_ratio / 2};
  }

 private:
  // The crest of side +1 is at phase -pi/2, of side -1 at +pi/2; in [-pi, pi].
  static double phase_from_crest(double phase, double side) {
    return std::remainder(phase + side * std::numbers::pi / 2, 2 * std::numbers::pi);
  }

  UndulatingShape shape_;
  double wave_x_, wave_y_;  // radians per metre
};

}  // namespace

std::shared_ptr<const HeightField> make_undulating(const UndulatingShape& shape, const Patch& patch) {
  check(shape);
  check(patch);
  return std::make_shared<Undulating>(shape, patch);
}

}  // namespace aqbench
