#include "pipeline/fusion/cloud_filter.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "core/parallel.h"
#include "core/quantiles.h"

namespace aqbench {
namespace {

constexpr int kMaxRings = 4;

struct Neighbour {
  float squared_m;
  std::uint32_t index;
};

using Runs = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

// Returns the nearest `wanted` points of the runs, nearest first; ties go to the lower index. Compares
// integers: bits of the non-negative squared distance above those of the index.
void nearest_in_runs(const Surfels& surfels, const Runs& runs, std::uint32_t query, std::size_t wanted,
                     std::vector<std::uint64_t>& keys, std::vector<Neighbour>& found) {
  keys.clear();
  const float x = surfels.x_m[query], y = surfels.y_m[query], z = surfels.z_m[query];
  for (const auto& [begin, end] : runs)
    for (std::uint32_t i = begin; i < end; ++i) {
      const float dx = surfels.x_m[i] - x, dy = surfels.y_m[i] - y, dz = surfels.z_m[i] - z;
      const auto squared_m = std::uint64_t{std::bit_cast<std::uint32_t>(dx * dx + dy * dy + dz * dz)};
      if (i != query) keys.push_back(squared_m << 32U | i);
    }
  if (keys.size() > wanted) {
    std::nth_element(keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(wanted), keys.end());
    keys.resize(wanted);
  }
  std::sort(keys.begin(), keys.end());
  found.clear();
  for (const std::uint64_t key : keys)
    found.push_back(
        {std::bit_cast<float>(static_cast<std::uint32_t>(key >> 32U)), static_cast<std::uint32_t>(key)});
}

Eigen::Vector3f normal_of(const Surfels& surfels, std::uint32_t query,
                          const std::vector<Neighbour>& neighbours, double radius_m, int most) {
  const Vec3 centre(surfels.x_m[query], surfels.y_m[query], surfels.z_m[query]);
  Vec3 sum = Vec3::Zero();
  Eigen::Matrix3d squares = Eigen::Matrix3d::Zero();
  int count = 1;  // the point itself, at the origin
  for (const Neighbour& neighbour : neighbours) {
    if (count >= most || neighbour.squared_m > radius_m * radius_m) break;
    const std::uint32_t i = neighbour.index;
    const Vec3 offset = Vec3(surfels.x_m[i], surfels.y_m[i], surfels.z_m[i]) - centre;
    sum += offset;
    squares += offset * offset.transpose();
    ++count;
  }
  const auto undefined = Eigen::Vector3f::Constant(std::numeric_limits<float>::quiet_NaN());
  if (count < 3) return undefined;
  const Eigen::Matrix3d covariance = squares / count - sum * sum.transpose() / (count * count);
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver(covariance);
  if (!(solver.eigenvalues()(1) > 1e-6 * solver.eigenvalues()(2))) return undefined;  // collinear
  const Eigen::Vector3f normal = solver.eigenvectors().col(0).cast<float>();
  return normal.dot(surfels.towards_camera[query]) < 0 ? Eigen::Vector3f(-normal) : normal;
}

float mean_distance(const std::vector<Neighbour>& neighbours, std::size_t wanted, double reach_m) {
  double sum = 0;
  for (std::size_t i = 0; i < wanted; ++i)
    sum += i < neighbours.size() ? std::min(std::sqrt(double{neighbours[i].squared_m}), reach_m) : reach_m;
  return static_cast<float>(sum / static_cast<double>(wanted));
}

}  // namespace

NeighbourStatistics neighbour_statistics(const Surfels& surfels, const FusionOptions& options,
                                         double scale_m) {
  int level = 0;
  while (std::ldexp(surfels.grid.cell_m, level) < 3 * scale_m && level < kMortonBits) ++level;
  const MortonCells cells = make_cells(surfels.keys, level);
  const double cell_m = std::ldexp(surfels.grid.cell_m, level);
  const double radius_m = options.normal_radius_voxels * scale_m;
  const auto of_normal = static_cast<std::size_t>(options.normal_neighbours - 1);  // others
  const auto of_distance = static_cast<std::size_t>(options.outlier_neighbours);
  NeighbourStatistics result;
  result.normals.resize(surfels.count());
  result.mean_distance_m.resize(surfels.count());
  parallel_for(cells.count(), 64, [&](std::size_t begin, std::size_t end) {
    Runs near_runs, far_runs;
    std::vector<std::uint64_t> keys;
    std::vector<Neighbour> found;
    // Returns whether a search of this many rings has found all neighbours that affect the results.
    const auto complete = [&](int rings) {
      const double searched_m = rings * cell_m;
      const auto known = [&](std::size_t wanted, double limit_m) {
        if (wanted == 0 || searched_m >= limit_m) return true;
        return found.size() >= wanted && found[wanted - 1].squared_m <= searched_m * searched_m;
      };
      return known(of_normal, radius_m) && known(of_distance, kMaxRings * cell_m);
    };
    for (std::size_t cell = begin; cell < end; ++cell) {
      neighbour_runs(cells, cells.keys[cell], 1, near_runs);
      for (std::uint32_t i = cells.first[cell]; i < cells.first[cell + 1]; ++i) {
        nearest_in_runs(surfels, near_runs, i, std::max(of_normal, of_distance), keys, found);
        for (int rings = 2; rings <= kMaxRings && !complete(rings - 1); ++rings) {
          neighbour_runs(cells, cells.keys[cell], rings, far_runs);
          nearest_in_runs(surfels, far_runs, i, std::max(of_normal, of_distance), keys, found);
        }
        result.normals[i] = normal_of(surfels, i, found, radius_m, options.normal_neighbours);
        if (of_distance > 0)
          result.mean_distance_m[i] = mean_distance(found, of_distance, kMaxRings * cell_m);
      }
    }
  });
  return result;
}

std::vector<bool> inliers(const std::vector<float>& mean_distance_m, const FusionOptions& options) {
  const std::size_t count = mean_distance_m.size();
  std::vector<bool> stays(count, true);
  if (options.outlier_neighbours == 0 || count <= static_cast<std::size_t>(options.outlier_neighbours))
    return stays;
  double sum = 0, squares = 0;
  for (const float distance : mean_distance_m) sum += distance;
  const double mean = sum / static_cast<double>(count);
  for (const float distance : mean_distance_m) squares += (distance - mean) * (distance - mean);
  std::vector<float> sorted = mean_distance_m;
  const double limit = std::max(mean + options.outlier_std * std::sqrt(squares / static_cast<double>(count)),
                                2.0 * upper_median_in_place<float>(sorted));
  for (std::size_t i = 0; i < count; ++i) stays[i] = mean_distance_m[i] <= limit;
  return stays;
}

}  // namespace aqbench
