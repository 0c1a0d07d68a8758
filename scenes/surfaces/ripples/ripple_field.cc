#include "scenes/surfaces/ripples/ripple_field.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "scenes/surfaces/height_field.h"
#include "scenes/surfaces/ripples/ripple_kernel.h"
#include "scenes/surfaces/ripples/ripple_search.h"
#include "scenes/surfaces/shape_checks.h"

namespace aqbench {
namespace {

// The largest sum of amplitude |k . t|^power over unit directions t: what derivatives along a line can reach.
double directional_bound(const std::vector<Ripple>& ripples, int power) {
  constexpr int kDirections = 2048;
  constexpr double kStep = std::numbers::pi / kDirections;
  double largest = 0, isotropic = 0;
  for (const Ripple& r : ripples)
    isotropic += r.amplitude_m * std::pow(std::hypot(r.wave_x, r.wave_y), power);
  for (int i = 0; i < kDirections; ++i) {
    const double tx = std::cos(i * kStep), ty = std::sin(i * kStep);
    double sum = 0;
    for (const Ripple& r : ripples)
      sum += r.amplitude_m * std::pow(std::abs(r.wave_x * tx + r.wave_y * ty), power);
    largest = std::max(largest, sum);
  }
  // Between two directions the sum grows by at most power * isotropic per radian.
  return std::min(isotropic, largest + power * isotropic * kStep / 2);
}

class RippleField final : public PatchHeightField {
 public:
  RippleField(const RippleFieldShape& shape, const Patch& patch)
      : PatchHeightField(patch), shape_(shape), table_(make_ripple_table(shape)) {
    double height = 0, shortest = 1;
    for (const Ripple& r : shape.ripples) {
      height += r.amplitude_m;
      shortest = std::min(shortest, 2 * std::numbers::pi / std::max(1.0, std::hypot(r.wave_x, r.wave_y)));
    }
    bounds_ = {shape.base_depth_m - height, shape.base_depth_m + height, directional_bound(shape.ripples, 1),
               directional_bound(shape.ripples, 2), directional_bound(shape.ripples, 3)};
    feature_m_ = shortest;
  }

  HeightBounds bounds() const override { return bounds_; }
  HeightJet jet(double x, double y) const override { return ripple_jet(table_, x, y); }

  void closest_points(std::span<const Vec3> points, std::span<ClosestPoint> out) const override {
    std::array<unsigned char, 256> found{};
    for (std::size_t begin = 0; begin < points.size(); begin += found.size()) {
      const std::size_t count = std::min(found.size(), points.size() - begin);
      ripple_closest_points(shape_, points.subspan(begin, count), out.subspan(begin, count), found);
      for (std::size_t i = begin; i < begin + count; ++i) {
        if (found[i - begin] != 0) continue;
        const RippleFoot foot =
            search_ripple_foot(table_, bounds_, points[i], out[i].position_m.x(), out[i].position_m.y());
        out[i] = closest_point_at(points[i], foot.x_m, foot.y_m, foot.jet);
      }
    }
  }

 protected:
  void heights(const double* x, const double* y, std::size_t count, double* z,
               double* area_factor) const override {
    ripple_heights(shape_, x, y, count, z, area_factor);
  }
  double max_area_factor() const override { return std::sqrt(1 + bounds_.slope * bounds_.slope); }
  Vec2 feature_size_m() const override { return {feature_m_, feature_m_}; }

 private:
  RippleFieldShape shape_;
  RippleTable table_;
  HeightBounds bounds_;
  double feature_m_ = 1;
};

}  // namespace

std::shared_ptr<const HeightField> make_ripple_field(const RippleFieldShape& shape, const Patch& patch) {
  check(shape);
  check(patch);
  return std::make_shared<RippleField>(shape, patch);
}

}  // namespace aqbench
