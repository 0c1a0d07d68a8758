#include "harness/checking/cloud_difference.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <vector>

#include "core/error.h"
#include "core/quantiles.h"
#include "metrics/neighbours/nearest_neighbour.h"

namespace aqbench {
namespace {

std::vector<double> sorted_distances(std::span<const Vec3> from_m, std::span<const Vec3> to_m) {
  std::vector<double> distances(from_m.size());
  NearestNeighbourIndex(to_m).distances(from_m, distances);
  std::ranges::sort(distances);
  return distances;
}

}  // namespace

CloudDifference cloud_difference(std::span<const Vec3> a_m, std::span<const Vec3> b_m) {
  if (a_m.empty() || b_m.empty()) throw Error(ErrorKind::method, "a cloud is empty");
  const std::vector<double> there = sorted_distances(a_m, b_m), back = sorted_distances(b_m, a_m);
  const auto p95 = [](const std::vector<double>& sorted) {
    return sorted[static_cast<std::size_t>(0.95 * static_cast<double>(sorted.size() - 1))];
  };
  return {std::max(median_of_sorted(there), median_of_sorted(back)), std::max(p95(there), p95(back)),
          a_m.size(), b_m.size()};
}

double extent_m(std::span<const Vec3> points_m) {
  Eigen::AlignedBox3d box;
  for (const Vec3& point : points_m) box.extend(point);
  return box.isEmpty() ? 0 : box.diagonal().norm();
}

double median_spacing_m(std::span<const Vec3> points_m) {
  if (points_m.size() < 2) throw Error(ErrorKind::method, "a cloud has fewer than 2 points");
  constexpr std::size_t kMaxPoints = 20000;
  const NearestNeighbourIndex index(points_m, true);
  std::vector<double> spacings;
  std::vector<NearestNeighbourIndex::Neighbour> nearest;
  for (std::size_t i = 0; i < points_m.size(); i += (points_m.size() + kMaxPoints - 1) / kMaxPoints) {
    index.k_nearest(points_m[i], 2, nearest);
    spacings.push_back((points_m[nearest.back().index] - points_m[i]).norm());
  }
  return median_of(std::move(spacings));
}

}  // namespace aqbench
