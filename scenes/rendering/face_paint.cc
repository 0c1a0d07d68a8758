#include "scenes/rendering/face_paint.h"

#include <cmath>

namespace aqbench {

double paint_on_face(const Texture& texture, const Vec3& position_m, const Vec3& normal) {
  // Apart from each other, so that the three do not mirror one another.
  constexpr double kApart_m = 0.173;
  // An axis counts from here on, as a share of the closest one's: up to slopes of 0.87 it is z alone.
  constexpr double kShare = 0.75;
  const Vec3 squared = normal.cwiseAbs2();
  const Vec3 above = (squared.array() - kShare * squared.maxCoeff()).max(0.0).square();
  const Vec3 weights = above / above.sum();
  const double mean = texture.mean();
  double sum = 0, power = 0;
  const auto add = [&](double weight, double x_m, double y_m) {
    if (weight == 0) return;
    sum += weight * (texture.at(x_m, y_m) - mean);
    power += weight * weight;
  };
  add(weights.z(), position_m.x(), position_m.y());
  add(weights.x(), position_m.y() + kApart_m, position_m.z());
  add(weights.y(), position_m.x() + 2 * kApart_m, position_m.z());
  return mean + sum / std::sqrt(power);
}

}  // namespace aqbench
