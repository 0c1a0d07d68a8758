#include "scenes/rendering/face_paint.h"

#include <cmath>

namespace aqbench {

double paint_on_face(const Texture& texture, const Vec3& position_m, const Vec3& normal) {
  // Apart from each other, so that the three do not mirror one another.
  constexpr double kApart_m = 0.173;
  constexpr double kLeast = 1e-3;
  const Vec3 squared = normal.cwiseAbs2();
  const Vec3 weights = squared.cwiseAbs2().cwiseAbs2() / squared.cwiseAbs2().cwiseAbs2().sum();
  const double mean = texture.mean();
  double sum = 0, power = 0;
  const auto add = [&](double weight, double x_m, double y_m) {
    if (weight < kLeast) return;
    sum += weight * (texture.at(x_m, y_m) - mean);
    power += weight * weight;
  };
  add(weights.z(), position_m.x(), position_m.y());
  add(weights.x(), position_m.y() + kApart_m, position_m.z());
  add(weights.y(), position_m.x() + 2 * kApart_m, position_m.z());
  return mean + sum / std::sqrt(power);
}

}  // namespace aqbench
