#include "scenes/optics/rig_parts.h"

#include <Eigen/Geometry>

namespace aqbench {
namespace {

constexpr double kDefaultWidth_px = 1600;
constexpr double kDefaultFocal_px = 1504.6;  // at that width: 56 degrees

}  // namespace

Mat3 looking_at(const Vec3& centre_m, const Vec3& target_m) {
  const Vec3 forward = (target_m - centre_m).normalized();
  Vec3 down = Vec3::UnitZ() - forward.z() * forward;
  // Looking straight down, the world's down is not in the image.
  if (down.norm() < 1e-9) down = Vec3::UnitY() - forward.y() * forward;
  down.normalize();
  Mat3 rotation;
  rotation.row(0) = down.cross(forward);
  rotation.row(1) = down;
  rotation.row(2) = forward;
  return rotation;
}

double rig_focal_px(const Parameters& parameters) {
  const double given_px = parameters.number("focal_px");
  if (given_px != 0) return given_px;
  return kDefaultFocal_px * (static_cast<double>(parameters.integer("width")) / kDefaultWidth_px);
}

}  // namespace aqbench
