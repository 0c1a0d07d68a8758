#include "scenes/optics/triangulation.h"

#include <Eigen/Eigenvalues>
#include <cmath>

namespace aqbench {

std::optional<Triangulation> triangulate(std::span<const WaterRay> rays) {
  if (rays.size() < 2) return std::nullopt;
  const auto count = static_cast<double>(rays.size());
  // Relative to the mean origin, so that a distant world origin costs no digits in the normal equations.
  Vec3 anchor_m = Vec3::Zero();
  for (const WaterRay& ray : rays) anchor_m += to_vec3(ray.origin_m) / count;
  Mat3 normal_matrix = Mat3::Zero();
  Vec3 right_side = Vec3::Zero();
  for (const WaterRay& ray : rays) {
    const Vec3 direction = to_vec3(ray.direction);
    const Mat3 across = Mat3::Identity() - direction * direction.transpose();
    normal_matrix += across;
    right_side += across * (to_vec3(ray.origin_m) - anchor_m);
  }
  const Eigen::SelfAdjointEigenSolver<Mat3> eigen(normal_matrix);
  if (!(eigen.eigenvalues()[0] > 1e-12 * count)) return std::nullopt;
  const Vec3 offset_m = eigen.eigenvectors() *
                        (eigen.eigenvectors().transpose() * right_side).cwiseQuotient(eigen.eigenvalues());
  double squares_m2 = 0;
  for (const WaterRay& ray : rays) {
    const Vec3 direction = to_vec3(ray.direction), to_point = anchor_m + offset_m - to_vec3(ray.origin_m);
    squares_m2 += (to_point - direction * direction.dot(to_point)).squaredNorm();
  }
  return Triangulation{anchor_m + offset_m, std::sqrt(squares_m2 / count)};
}

}  // namespace aqbench
