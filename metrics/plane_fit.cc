#include "metrics/plane_fit.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "core/parallel.h"
#include "metrics/numbers/exact_sum.h"

namespace aqbench {
namespace {

// Returns the largest of what value_of(point) gives of the points that count, at least 0.
template <class ValueOf>
double largest_of(std::span<const Vec3> points_m, std::span<const std::uint32_t> index,
                  const ValueOf& value_of) {
  std::vector<double> of_chunk((index.size() + kSumGrain - 1) / kSumGrain);
  parallel_for(index.size(), kSumGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      of_chunk[begin / kSumGrain] = std::max(of_chunk[begin / kSumGrain], value_of(points_m[index[i]]));
  });
  double largest = 0;
  for (const double value : of_chunk) largest = std::max(largest, value);
  return largest;
}

}  // namespace

std::optional<PlaneFit> fit_plane(std::span<const Vec3> points_m, std::span<const std::uint32_t> index) {
  return fit_plane([&](const auto& body) { body(points_m, index); });
}

std::optional<PlaneFit> fit_plane(const EachBlock& each_block) {
  using Points = std::span<const Vec3>;
  using Index = std::span<const std::uint32_t>;
  std::size_t points = 0;
  // Exact sums, so that a cloud far from the origin loses no digits, and their order does not matter.
  std::array<ExactSum, 3> sums;
  each_block([&](Points points_m, Index index) {
    points += index.size();
    add_to_sums<3>(sums, index.size(), [&](std::size_t i) {
      const Vec3& point = points_m[index[i]];
      return std::array<double, 3>{point.x(), point.y(), point.z()};
    });
  });
  if (points < 3) return std::nullopt;
  const double count = static_cast<double>(points);
  const Vec3 centroid = Vec3(sums[0].value(), sums[1].value(), sums[2].value()) / count;
  std::array<ExactSum, 6> exact_products;
  each_block([&](Points points_m, Index index) {
    add_to_sums<6>(exact_products, index.size(), [&](std::size_t i) {
      const Vec3 d = points_m[index[i]] - centroid;
      return std::array<double, 6>{d.x() * d.x(), d.x() * d.y(), d.x() * d.z(),
                                   d.y() * d.y(), d.y() * d.z(), d.z() * d.z()};
    });
  });
  const std::array<double, 6> products = rounded(exact_products);
  Eigen::Matrix3d scatter;
  scatter << products[0], products[1], products[2],  //
      products[1], products[3], products[4],         //
      products[2], products[4], products[5];
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver(scatter);
  // Eigenvalues ascend. The scatter squares lengths: 1e-12 of it is one millionth of the cloud's length.
  if (!(solver.eigenvalues()[1] > 1e-12 * solver.eigenvalues()[2])) return std::nullopt;

  PlaneFit fit{centroid, solver.eigenvectors().col(0), 0, 0};
  if (fit.normal.z() > 0) fit.normal = -fit.normal;
  std::array<ExactSum, 1> squares;
  each_block([&](Points points_m, Index index) {
    const auto distance_of = [&](const Vec3& point) { return std::abs(fit.normal.dot(point - centroid)); };
    add_to_sums<1>(squares, index.size(), [&](std::size_t i) {
      const double distance = distance_of(points_m[index[i]]);
      return std::array<double, 1>{distance * distance};
    });
    fit.max_m = std::max(fit.max_m, largest_of(points_m, index, distance_of));
  });
  fit.rmse_m = std::sqrt(squares[0].value() / count);
  return fit;
}

}  // namespace aqbench
