#include "metrics/change/change.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <array>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <limits>
#include <string>
#include <unordered_map>
#include <utility>

#include "core/error.h"
#include "core/parallel.h"
#include "core/quantiles.h"
#include "metrics/neighbours/nearest_neighbour.h"

namespace aqbench {
namespace {

constexpr std::size_t kPointsOfCylinder = 30;
constexpr std::uint32_t kMinPoints = 4;  // with fewer a standard deviation says nothing

using Cell = std::array<std::int64_t, 3>;

struct HashOfCell {
  std::size_t operator()(const Cell& cell) const {
    std::uint64_t hash = 0;
    for (const std::int64_t part : cell)
      hash = (hash ^ static_cast<std::uint64_t>(part)) * 0x9E3779B97F4A7C15U + (hash >> 29);
    return static_cast<std::size_t>(hash);
  }
};

// The points of a cloud by cubic cell, in each in the order of their indices.
class PointCells {
 public:
  PointCells(std::span<const Vec3> points_m, double cell_m)
      : points_(points_m.begin(), points_m.end()), cell_m_(cell_m) {
    std::ranges::stable_sort(points_, {}, [&](const Vec3& point) { return cell_of(point); });
    for (std::size_t i = 0; i < points_.size(); ++i)
      ++runs_.try_emplace(cell_of(points_[i]), i, i).first->second.second;
  }

  double cell_m() const { return cell_m_; }
  Cell cell_of(const Vec3& point) const {
    const auto part = [&](double x) { return static_cast<std::int64_t>(std::floor(x / cell_m_)); };
    return {part(point.x()), part(point.y()), part(point.z())};
  }
  // Calls `use` with the points of each cell from `low` to `high`.
  template <class Use>
  void each_in(const Cell& low, const Cell& high, const Use& use) const {
    for (std::int64_t x = low[0]; x <= high[0]; ++x)
      for (std::int64_t y = low[1]; y <= high[1]; ++y)
        for (std::int64_t z = low[2]; z <= high[2]; ++z)
          if (const auto run = runs_.find({x, y, z}); run != runs_.end())
            std::for_each(points_.begin() + run->second.first, points_.begin() + run->second.second, use);
  }

 private:
  std::vector<Vec3> points_;
  double cell_m_;
  std::unordered_map<Cell, std::pair<std::size_t, std::size_t>, HashOfCell> runs_;
};

// Returns the normal of the points in a sphere, towards `up`; zero for fewer than 3 points and points on a
// line.
Vec3 normal_at(const PointCells& cells, const Vec3& core_m, double radius_m, const Vec3& up) {
  double count = 0;
  Vec3 sum = Vec3::Zero();
  Eigen::Matrix3d squares = Eigen::Matrix3d::Zero();
  cells.each_in(cells.cell_of(core_m.array() - radius_m), cells.cell_of(core_m.array() + radius_m),
                [&](const Vec3& point) {
                  const Vec3 from_core = point - core_m;
                  if (from_core.squaredNorm() > radius_m * radius_m) return;
                  ++count;
                  sum += from_core;
                  squares += from_core * from_core.transpose();
                });
  if (count < 3) return Vec3::Zero();
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> axes(squares / count -
                                                            sum * sum.transpose() / (count * count));
  if (axes.eigenvalues()[1] <= 1e-12 * axes.eigenvalues()[2]) return Vec3::Zero();
  const Vec3 normal = axes.eigenvectors().col(0);
  return normal.dot(up) < 0 ? Vec3(-normal) : normal;
}

// The places along the axis of the points in a cylinder.
struct Along {
  std::uint32_t count = 0;
  double mean_m = 0, squares_m2 = 0;  // squares: sum of squared deviations from the mean

  void add(double place_m) {  // Welford, 1962
    const double from_mean = place_m - mean_m;
    mean_m += from_mean / ++count;
    squares_m2 += from_mean * (place_m - mean_m);
  }
  // Returns the variance of the mean.
  double mean_variance_m2() const { return squares_m2 / (count - 1.0) / count; }
};

// Goes through the layers of cells along the longest coordinate of the axis, so that a long oblique cylinder
// meets few cells beside it.
Along along_cylinder(const PointCells& cells, const Vec3& core_m, const Vec3& normal,
                     const M3c2Options& options) {
  const double radius_m = options.cylinder_diameter_m / 2, depth_m = options.depth_m, cell_m = cells.cell_m();
  Eigen::Index main = 0;
  normal.cwiseAbs().maxCoeff(&main);
  const double step = std::abs(normal[main]);
  // How far along the axis the disc through a point of a layer reaches beyond that layer.
  const double tilt_m = radius_m * std::sqrt(std::max(0.0, 1 - step * step)) / step;
  const double reach_m = depth_m * step + radius_m;
  const auto layer_of = [&](double x) { return static_cast<std::int64_t>(std::floor(x / cell_m)); };
  Along along;
  for (std::int64_t layer = layer_of(core_m[main] - reach_m); layer <= layer_of(core_m[main] + reach_m);
       ++layer) {
    const double low = (static_cast<double>(layer) * cell_m - core_m[main]) / normal[main];
    const double high = (static_cast<double>(layer + 1) * cell_m - core_m[main]) / normal[main];
    const Vec3 from = core_m + (std::min(low, high) - tilt_m) * normal,
               to = core_m + (std::max(low, high) + tilt_m) * normal;
    Cell first = cells.cell_of(from.cwiseMin(to).array() - radius_m),
         last = cells.cell_of(from.cwiseMax(to).array() + radius_m);
    first[static_cast<std::size_t>(main)] = last[static_cast<std::size_t>(main)] = layer;
    cells.each_in(first, last, [&](const Vec3& point) {
      const Vec3 from_core = point - core_m;
      const double place_m = from_core.dot(normal);
      if (std::abs(place_m) > depth_m) return;
      if ((from_core - place_m * normal).squaredNorm() <= radius_m * radius_m) along.add(place_m);
    });
  }
  return along;
}

double limit_of_detection_m(const Along& before, const Along& after, const M3c2Options& options) {
  const double a = before.mean_variance_m2(), b = after.mean_variance_m2();
  double t = 0;
  if (a + b > 0) {
    const double degrees = (a + b) * (a + b) / (a * a / (before.count - 1.0) + b * b / (after.count - 1.0));
    t = quantile(boost::math::students_t(degrees), (1 + options.confidence) / 2);
  } else {
    t = quantile(boost::math::normal(), (1 + options.confidence) / 2);
  }
  return t * (std::sqrt(a + b) + options.registration_m);
}

// Returns the median distance to the 30th nearest point.
double radius_of_30_m(std::span<const Vec3> points_m, const char* state) {
  if (points_m.size() < kPointsOfCylinder)
    throw Error(ErrorKind::input, std::string(state) + ": has less than 30 points");
  const NearestNeighbourIndex index(points_m, true);
  const std::size_t stride = std::max<std::size_t>(1, points_m.size() / 2000);
  std::vector<double> radii_m;
  std::vector<NearestNeighbourIndex::Neighbour> nearest;
  for (std::size_t i = 0; i < points_m.size(); i += stride) {
    index.k_nearest(points_m[i], kPointsOfCylinder, nearest);
    radii_m.push_back(std::sqrt(nearest.back().squared_m2));
  }
  return median_of(std::move(radii_m));
}

}  // namespace

M3c2Options m3c2_scales(std::span<const Vec3> before_m, std::span<const Vec3> after_m) {
  M3c2Options options;
  options.cylinder_diameter_m =
      2 * std::max(radius_of_30_m(before_m, "BEFORE"), radius_of_30_m(after_m, "AFTER"));
  options.normal_diameter_m = 2 * options.cylinder_diameter_m;
  options.depth_m = 5 * options.cylinder_diameter_m;
  return options;
}

std::vector<M3c2Change> measure_m3c2(std::span<const Vec3> before_m, std::span<const Vec3> after_m,
                                     std::span<const Vec3> cores_m, const M3c2Options& options) {
  for (const double scale_m : {options.normal_diameter_m, options.cylinder_diameter_m, options.depth_m})
    if (!(scale_m > 0)) throw Error(ErrorKind::usage, "scales of M3C2 must be positive");
  const PointCells spheres(before_m, options.normal_diameter_m / 2);
  const PointCells before(before_m, options.cylinder_diameter_m / 2),
      after(after_m, options.cylinder_diameter_m / 2);
  std::vector<M3c2Change> changes(cores_m.size());
  constexpr std::size_t kGrain = 256;
  parallel_for(cores_m.size(), kGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      M3c2Change& change = changes[i];
      change.core_m = cores_m[i];
      change.distance_m = change.limit_m = std::numeric_limits<double>::quiet_NaN();
      change.normal = normal_at(spheres, cores_m[i], options.normal_diameter_m / 2, options.up);
      if (change.normal.isZero()) continue;
      const Along was = along_cylinder(before, cores_m[i], change.normal, options);
      const Along is = along_cylinder(after, cores_m[i], change.normal, options);
      change.points_before = was.count;
      change.points_after = is.count;
      if (was.count < kMinPoints || is.count < kMinPoints) continue;
      change.distance_m = is.mean_m - was.mean_m;
      change.limit_m = limit_of_detection_m(was, is, options);
    }
  });
  return changes;
}

}  // namespace aqbench
