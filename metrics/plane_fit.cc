#include "metrics/plane_fit.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "core/parallel.h"
#include "metrics/exact_sum.h"

namespace aqbench {
std::optional<PlaneFit> fit_plane(std::span<const Vec3> points_m, std::span<const std::uint32_t> index) {
  if (index.size() < 3) return std::nullopt;
  const double count = static_cast<double>(index.size());
  // Exact sums, so that a cloud far from the origin loses no digits, and their order does not matter.
  const std::array<double, 3> sums = exact_sums<3>(index.size(), [&](std::size_t i) {
    const Vec3& point = points_m[index[i]];
    return std::array<double, 3>{point.x(), point.y(), point.z()};
  });
  const Vec3 centroid = Vec3(sums[0], sums[1], sums[2]) / count;
  const std::array<double, 6> products = exact_sums<6>(index.size(), [&](std::size_t i) {
    const Vec3 d = points_m[index[i]] - centroid;
    return std::array<double, 6>{d.x() * d.x(), d.x() * d.y(), d.x() * d.z(),
                                 d.y() * d.y(), d.y() * d.z(), d.z() * d.z()};
  });
  Eigen::Matrix3d scatter;
  scatter << products[0], products[1], products[2],  //
      products[1], products[3], products[4],         //
      products[2], products[4], products[5];
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver(scatter);
  // Eigenvalues ascend. The scatter squares lengths: 1e-12 of it is one millionth of the cloud's length.
  if (!(solver.eigenvalues()[1] > 1e-12 * solver.eigenvalues()[2])) return std::nullopt;

  PlaneFit fit{centroid, solver.eigenvectors().col(0), 0, 0};
  if (fit.normal.z() > 0) fit.normal = -fit.normal;
  const auto distance_at = [&](std::size_t i) {
    return std::abs(fit.normal.dot(points_m[index[i]] - centroid));
  };
  const double squares = exact_sum(index.size(), [&](std::size_t i) {
    const double distance = distance_at(i);
    return distance * distance;
  });
  std::vector<double> farthest((index.size() + kSumGrain - 1) / kSumGrain);  // of a chunk
  parallel_for(index.size(), kSumGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      farthest[begin / kSumGrain] = std::max(farthest[begin / kSumGrain], distance_at(i));
  });
  fit.max_m = std::ranges::max(farthest);
  fit.rmse_m = std::sqrt(squares / count);
  return fit;
}

}  // namespace aqbench
