#include "metrics/plane_fit.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <vector>

#include "core/parallel.h"
#include "metrics/order_statistics.h"

namespace aqbench {
namespace {

// Sum of value_of(i), chunks combined in order. T is an Eigen type of fixed size.
template <class T, class ValueOf>
T sum_in_order(std::size_t count, const ValueOf& value_of) {
  std::vector<T> sums((count + kSumGrain - 1) / kSumGrain, T::Zero());
  parallel_for(count, kSumGrain, [&](std::size_t begin, std::size_t end) {
    T sum = T::Zero();
    for (std::size_t i = begin; i < end; ++i) sum += value_of(i);
    sums[begin / kSumGrain] = sum;
  });
  T total = T::Zero();
  for (const T& sum : sums) total += sum;
  return total;
}

}  // namespace

std::optional<PlaneFit> fit_plane(std::span<const Vec3> points_m, std::span<const std::uint32_t> index) {
  if (index.size() < 3) return std::nullopt;
  const double count = static_cast<double>(index.size());
  // About the first point, so that a cloud far from the origin loses no digits.
  const Vec3 first = points_m[index[0]];
  const Vec3 centroid = first + sum_in_order<Vec3>(index.size(), [&](std::size_t i) -> Vec3 {
                                  return points_m[index[i]] - first;
                                }) / count;
  const Eigen::Matrix3d scatter =
      sum_in_order<Eigen::Matrix3d>(index.size(), [&](std::size_t i) -> Eigen::Matrix3d {
        const Vec3 offset = points_m[index[i]] - centroid;
        return offset * offset.transpose();
      });
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver(scatter);
  // Eigenvalues ascend. The scatter squares lengths: 1e-12 of it is one millionth of the cloud's length.
  if (!(solver.eigenvalues()[1] > 1e-12 * solver.eigenvalues()[2])) return std::nullopt;

  PlaneFit fit{centroid, solver.eigenvectors().col(0), 0, 0};
  if (fit.normal.z() > 0) fit.normal = -fit.normal;
  using SumAndMax = Eigen::Vector2d;
  std::vector<SumAndMax> chunks((index.size() + kSumGrain - 1) / kSumGrain);
  parallel_for(index.size(), kSumGrain, [&](std::size_t begin, std::size_t end) {
    SumAndMax chunk = SumAndMax::Zero();
    for (std::size_t i = begin; i < end; ++i) {
      const double distance = std::abs(fit.normal.dot(points_m[index[i]] - centroid));
      chunk = SumAndMax(chunk[0] + distance * distance, std::max(chunk[1], distance));
    }
    chunks[begin / kSumGrain] = chunk;
  });
  double squares = 0;
  for (const SumAndMax& chunk : chunks) {
    squares += chunk[0];
    fit.max_m = std::max(fit.max_m, chunk[1]);
  }
  fit.rmse_m = std::sqrt(squares / count);
  return fit;
}

}  // namespace aqbench
