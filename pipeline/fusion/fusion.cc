#include "pipeline/fusion/fusion.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "core/multiversion.h"
#include "core/parallel.h"
#include "core/quantiles.h"
#include "pipeline/fusion/compaction.h"
#include "scenes/optics/refraction_batch.h"

namespace aqbench {
namespace {

PointCloud cloud_of(const Surfels& surfels, const NeighbourStatistics& statistics,
                    const std::vector<bool>& stays) {
  PointCloud cloud;
  for (std::size_t i = 0; i < surfels.count(); ++i) {
    if (!stays[i]) continue;
    cloud.points_m.push_back(surfels.grid.origin_m + Vec3(surfels.x_m[i], surfels.y_m[i], surfels.z_m[i]));
    cloud.normals.push_back(statistics.normals[i].cast<double>().normalized());
    cloud.confidence.push_back(std::min(surfels.confidence[i], 1.0F));
  }
  return cloud;
}

constexpr int kMaxRings = 4;

struct Neighbour {
  float squared_m;
  std::uint32_t index;
};

AQBENCH_MULTIVERSION
void squared_distances(const float* __restrict x, const float* __restrict y, const float* __restrict z,
                       std::size_t count, float to_x, float to_y, float to_z, float* __restrict squared) {
  for (std::size_t i = 0; i < count; ++i) {
    const float dx = x[i] - to_x, dy = y[i] - to_y, dz = z[i] - to_z;
    squared[i] = dx * dx + dy * dy + dz * dz;
  }
}

// Halves the interval from 0 to `high` until `wanted` values do not exceed its middle, and returns that; or
// `high` if fewer values than that lie below it, or several are equal.
AQBENCH_MULTIVERSION
float limit_of_smallest(const float* values, std::size_t count, std::int32_t wanted, float high) {
  constexpr int kHalvings = 20;
  float low = 0, limit = high;
  for (int halving = 0; halving <= kHalvings; ++halving) {
    std::int32_t found = 0;
    for (std::size_t i = 0; i < count; ++i) found += values[i] <= limit ? 1 : 0;
    if (found == wanted || (halving == 0 && found < wanted)) return limit;
    (found < wanted ? low : high) = limit;
    limit = 0.5F * (low + high);
  }
  return high;
}

// ranks[i] = number of keys below keys[i]. Of a few tens of keys this is faster than a sort, whose branches
// are unpredictable. Keys lie below 2^63.
AQBENCH_MULTIVERSION
void rank_keys(const std::uint64_t* __restrict keys, std::size_t count, std::int64_t* __restrict ranks) {
  for (std::size_t i = 0; i < count; ++i) ranks[i] = 0;
  for (std::size_t k = 0; k < count; ++k) {
    const auto other = static_cast<std::int64_t>(keys[k]);
    for (std::size_t i = 0; i < count; ++i) ranks[i] += other < static_cast<std::int64_t>(keys[i]) ? 1 : 0;
  }
}

// The nearest points to each point of one cell after another.
class NearestPoints {
 public:
  NearestPoints(const Surfels& surfels, const MortonCells& cells, std::size_t wanted)
      : surfels_(surfels), cells_(cells), wanted_(wanted) {}

  void enter_cell(std::uint64_t key);

  // Returns the `wanted` nearest to a point of this cell in the cells around it, nearest first; ties go to
  // the lower index. Ask for ring after ring, from 1 on.
  const std::vector<Neighbour>& find(std::uint32_t query, int rings);
  const std::vector<Neighbour>& found() const { return found_; }

 private:
  void gather(int rings);
  std::span<std::uint64_t> keys_within(std::uint32_t query, float limit);
  void sort_found(std::span<const std::uint64_t> keys);

  const Surfels& surfels_;
  const MortonCells& cells_;
  std::size_t wanted_;
  std::uint64_t key_ = 0;
  // Points of the gathered rings, in columns, and where each ring ends.
  std::vector<float> x_m_, y_m_, z_m_, squared_m_;
  std::vector<std::uint32_t> index_;
  std::vector<std::size_t> ends_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> runs_;
  // Bits of the non-negative squared distance above those of the index: integers compare fast.
  std::vector<std::uint64_t> keys_;
  std::vector<std::int64_t> ranks_;
  std::vector<Neighbour> found_;
  std::uint32_t last_ = 0;                                       // the last query of one ring
  float last_reach_m_ = std::numeric_limits<float>::infinity();  // the distance to the last it found
};

void NearestPoints::enter_cell(std::uint64_t key) {
  key_ = key;
  for (std::vector<float>* column : {&x_m_, &y_m_, &z_m_}) column->clear();
  index_.clear();
  ends_.assign(1, 0);
  last_reach_m_ = std::numeric_limits<float>::infinity();
}

void NearestPoints::gather(int rings) {
  while (static_cast<int>(ends_.size()) <= rings) {
    const auto ring = static_cast<int>(ends_.size());
    neighbour_runs(cells_, key_, ring == 1 ? 0 : ring, ring, runs_);
    for (const auto& [begin, end] : runs_) {
      x_m_.insert(x_m_.end(), surfels_.x_m.begin() + begin, surfels_.x_m.begin() + end);
      y_m_.insert(y_m_.end(), surfels_.y_m.begin() + begin, surfels_.y_m.begin() + end);
      z_m_.insert(z_m_.end(), surfels_.z_m.begin() + begin, surfels_.z_m.begin() + end);
      for (std::uint32_t i = begin; i < end; ++i) index_.push_back(i);
    }
    ends_.push_back(index_.size());
  }
}

std::span<std::uint64_t> NearestPoints::keys_within(std::uint32_t query, float limit) {
  if (keys_.size() < squared_m_.size() + 8) keys_.resize(squared_m_.size() + 8);
  return {keys_.data(),
          keys_up_to(limit, query, squared_m_.data(), index_.data(), squared_m_.size(), keys_.data())};
}

void NearestPoints::sort_found(std::span<const std::uint64_t> keys) {
  ranks_.resize(keys.size());
  rank_keys(keys.data(), keys.size(), ranks_.data());
  found_.resize(keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) {
    Neighbour& neighbour = found_[static_cast<std::size_t>(ranks_[i])];
    neighbour.squared_m = std::bit_cast<float>(static_cast<std::uint32_t>(keys[i] >> 32U));
    neighbour.index = static_cast<std::uint32_t>(keys[i]);
  }
}

const std::vector<Neighbour>& NearestPoints::find(std::uint32_t query, int rings) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  gather(rings);
  const float x = surfels_.x_m[query], y = surfels_.y_m[query], z = surfels_.z_m[query];
  const std::size_t count = ends_[static_cast<std::size_t>(rings)];
  squared_m_.resize(count);
  squared_distances(x_m_.data(), y_m_.data(), z_m_.data(), count, x, y, z, squared_m_.data());
  // What fewer rings hold, or the last query found, bounds the distance to the last one that is wanted.
  float limit = infinity;
  if (rings > 1 && found_.size() == wanted_) {
    limit = found_.back().squared_m;
  } else if (rings == 1) {
    const float reach_m =
        last_reach_m_ + std::hypot(x - surfels_.x_m[last_], y - surfels_.y_m[last_], z - surfels_.z_m[last_]);
    limit = reach_m * reach_m * 1.0001F;  // for rounding
  }
  if (limit == infinity && !squared_m_.empty()) limit = *std::ranges::max_element(squared_m_);
  limit = limit_of_smallest(squared_m_.data(), count, static_cast<std::int32_t>(wanted_ + 1), limit);
  std::span<std::uint64_t> keys = keys_within(query, limit);
  if (keys.size() > wanted_) {
    std::nth_element(keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(wanted_), keys.end());
    keys = keys.first(wanted_);
  }
  sort_found(keys);
  if (rings == 1) {
    last_ = query;
    last_reach_m_ = found_.size() == wanted_ && wanted_ > 0 ? std::sqrt(found_.back().squared_m) : infinity;
  }
  return found_;
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
  Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver;
  solver.computeDirect(covariance);
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

CameraPoints points_of_depth_map(const RefractiveCamera& camera, const DepthMap& map) {
  const auto width = static_cast<std::size_t>(camera.width_px),
             height = static_cast<std::size_t>(camera.height_px);
  std::vector<std::size_t> first(height + 1, 0);  // of the points of each row
  for (std::size_t y = 0; y < height; ++y)
    first[y + 1] =
        first[y] +
        static_cast<std::size_t>(std::count_if(
            map.depth_along_ray_m.begin() + static_cast<std::ptrdiff_t>(y * width),
            map.depth_along_ray_m.begin() + static_cast<std::ptrdiff_t>((y + 1) * width), has_depth));
  CameraPoints points;
  points.centre_m = to_vec3(camera.centre_m);
  points.points_m.resize(first[height]);
  points.confidence.resize(first[height], 1.0F);
  parallel_for(height, 8, [&](std::size_t begin, std::size_t end) {
    std::vector<float> u(width), v(width), ox(width), oy(width), oz(width), dx(width), dy(width), dz(width);
    for (std::size_t x = 0; x < width; ++x) u[x] = static_cast<float>(x);
    for (std::size_t y = begin; y < end; ++y) {
      std::ranges::fill(v, static_cast<float>(y));
      cast_rays(camera, u, v, {ox, oy, oz, dx, dy, dz});
      std::size_t i = first[y];
      for (std::size_t x = 0; x < width; ++x) {
        const std::size_t at = y * width + x;
        const float depth = map.depth_along_ray_m[at];
        if (!has_depth(depth)) continue;
        points.points_m[i] = {ox[x] + depth * dx[x], oy[x] + depth * dy[x], oz[x] + depth * dz[x]};
        if (!map.confidence.empty()) points.confidence[i] = map.confidence[at];
        ++i;
      }
    }
  });
  return points;
}

PointCloud fuse(const CameraPointSource& cameras, const FusionOptions& options) {
  Surfels surfels = gather_voxels(cameras, options.voxel_m);
  if (surfels.count() == 0) return {};
  if (options.refine_radius_m > 0) {
    // Runs twice: a point far from the surface sees only neighbours within the radius.
    const Surfels all = surfels;
    const double radius_m = std::max(options.refine_radius_m, 3 * spacing_m(all));
    for (int pass = 0; pass < 2; ++pass) {
      refine_surfels(all, radius_m, surfels);
      surfels = regroup(surfels);
    }
  }
  const NeighbourStatistics statistics = neighbour_statistics(surfels, options, spacing_m(surfels));
  return cloud_of(surfels, statistics, inliers(statistics.mean_distance_m, options));
}

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
    NearestPoints nearest(surfels, cells, std::max(of_normal, of_distance));
    // Returns whether a search of this many rings has found all neighbours that affect the results.
    const auto complete = [&](const std::vector<Neighbour>& found, int rings) {
      const double searched_m = rings * cell_m;
      const auto known = [&](std::size_t wanted, double limit_m) {
        if (wanted == 0 || searched_m >= limit_m) return true;
        return found.size() >= wanted && found[wanted - 1].squared_m <= searched_m * searched_m;
      };
      return known(of_normal, radius_m) && known(of_distance, kMaxRings * cell_m);
    };
    for (std::size_t cell = begin; cell < end; ++cell) {
      nearest.enter_cell(cells.keys[cell]);
      for (std::uint32_t i = cells.first[cell]; i < cells.first[cell + 1]; ++i) {
        int rings = 1;
        while (!complete(nearest.find(i, rings), rings) && rings < kMaxRings) ++rings;
        const std::vector<Neighbour>& found = nearest.found();
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

void move_points(const Vec3& by_m, Reconstruction& result) {
  for (Vec3& point_m : result.cloud.points_m) point_m += by_m;
  if (result.mesh)
    for (Vec3& vertex_m : result.mesh->vertices_m) vertex_m += by_m;
}

}  // namespace aqbench
