#include "metrics/change/change.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "core/error.h"
#include "core/parallel.h"
#include "core/quantiles.h"
#include "metrics/change/point_cells.h"
#include "metrics/change/welch.h"
#include "metrics/neighbours/nearest_neighbour.h"

namespace aqbench {
namespace {

constexpr std::size_t kPointsOfCylinder = 30;
constexpr std::uint32_t kMinPoints = 4;  // with fewer a standard deviation says nothing

// One state, with its points by cell.
struct State {
  const PointCloud& cloud;
  PointCells cells;

  // Returns whether a point lies on the side of the surface that a direction looks out of, or on either.
  bool looks_along(std::uint32_t i, const Vec3& direction) const {
    return cloud.normals.empty() || cloud.normals[i].isZero() || cloud.normals[i].dot(direction) > 0;
  }
};

// Returns the normal of the points in a sphere that lie on one side of the surface, towards that side; zero
// for fewer than 3 points and points on a line.
Vec3 normal_at(const State& state, const Vec3& core_m, double radius_m, const Vec3& side) {
  double count = 0;
  Vec3 sum = Vec3::Zero();
  Eigen::Matrix3d squares = Eigen::Matrix3d::Zero();
  state.cells.each_near(core_m, radius_m, [&](std::uint32_t i) {
    const Vec3 from_core = state.cloud.points_m[i] - core_m;
    if (from_core.squaredNorm() > radius_m * radius_m || !state.looks_along(i, side)) return;
    ++count;
    sum += from_core;
    squares += from_core * from_core.transpose();
  });
  if (count < 3) return Vec3::Zero();
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> axes(squares / count -
                                                            sum * sum.transpose() / (count * count));
  if (axes.eigenvalues()[1] <= 1e-12 * axes.eigenvalues()[2]) return Vec3::Zero();
  const Vec3 normal = axes.eigenvectors().col(0);
  return normal.dot(side) < 0 ? Vec3(-normal) : normal;
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

// Returns the places along the axis of the points in the cylinder that look along it, of the surface nearest
// to `near_m`: points with a gap of more than the cylinder's diameter lie on different ones. Of all where no
// surface has enough points.
Along along_cylinder(const State& state, const Vec3& core_m, const Vec3& normal, const M3c2Options& options,
                     double near_m, std::vector<double>& places_m) {
  places_m.clear();
  const Cylinder cylinder{core_m, normal, options.cylinder_diameter_m / 2, -options.depth_m, options.depth_m};
  state.cells.each_in_cylinder(cylinder, [&](std::uint32_t i, double place_m) {
    if (state.looks_along(i, normal)) places_m.push_back(place_m);
  });
  std::ranges::sort(places_m);
  Along best, all, one;
  for (std::size_t i = 0; i < places_m.size(); ++i) {
    one.add(places_m[i]);
    all.add(places_m[i]);
    if (i + 1 < places_m.size() && places_m[i + 1] - places_m[i] <= options.cylinder_diameter_m) continue;
    if (one.count >= kMinPoints &&
        (best.count == 0 || std::abs(one.mean_m - near_m) < std::abs(best.mean_m - near_m)))
      best = one;
    one = {};
  }
  return best.count > 0 ? best : all;
}

// Writes the distance and its limit.
void compare(const Along& was, const Along& is, const std::array<Vec3, 2>& steps_m,
             const M3c2Options& options, M3c2Change& change) {
  const double a = was.mean_variance_m2(), b = is.mean_variance_m2();
  for (const auto& [along, step_m] : {std::pair(was, steps_m[0]), std::pair(is, steps_m[1])})
    change.rounding_m += rounding_of_mean(step_m.dot(change.normal.cwiseAbs()),
                                          along.squares_m2 / (static_cast<double>(along.count) - 1));
  change.distance_m = is.mean_m - was.mean_m;
  change.limit_m = standard_errors(welch_degrees(a, was.count - 1.0, b, is.count - 1.0), options.confidence) *
                       (std::sqrt(a + b) + options.registration_m) +
                   change.rounding_m;
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

std::vector<M3c2Change> measure_m3c2(const PointCloud& before, const PointCloud& after,
                                     std::span<const Vec3> cores_m, const M3c2Options& options) {
  for (const double scale_m : {options.normal_diameter_m, options.cylinder_diameter_m, options.depth_m})
    if (!(scale_m > 0)) throw Error(ErrorKind::usage, "scales of M3C2 must be positive");
  const double radius_m = options.normal_diameter_m / 2;
  const State spheres{before, PointCells(before.points_m, radius_m)};
  const State was{before, PointCells(before.points_m, options.cylinder_diameter_m / 2)},
      is{after, PointCells(after.points_m, options.cylinder_diameter_m / 2)};
  const NearestNeighbourIndex index(before.points_m, true);
  std::vector<M3c2Change> changes(cores_m.size());
  constexpr std::size_t kGrain = 256;
  parallel_for(cores_m.size(), kGrain, [&](std::size_t begin, std::size_t end) {
    std::vector<std::uint32_t> nearest(end - begin);
    index.nearest(cores_m.subspan(begin, end - begin), nearest);
    std::vector<double> places_m;
    for (std::size_t i = begin; i < end; ++i) {
      M3c2Change& change = changes[i];
      change.core_m = cores_m[i];
      change.distance_m = change.limit_m = std::numeric_limits<double>::quiet_NaN();
      const std::uint32_t own = nearest[i - begin];
      const bool has_side = !before.normals.empty() && !before.normals[own].isZero();
      const Vec3 side = has_side ? before.normals[own] : options.up;
      change.normal = normal_at(spheres, cores_m[i], radius_m, side);
      if (change.normal.isZero()) continue;
      const Along from = along_cylinder(was, cores_m[i], change.normal, options, 0, places_m);
      const Along to = along_cylinder(is, cores_m[i], change.normal, options, from.mean_m, places_m);
      change.points_before = from.count;
      change.points_after = to.count;
      if (from.count >= kMinPoints && to.count >= kMinPoints)
        compare(from, to, {options.step_before_m, options.step_after_m}, options, change);
    }
  });
  return changes;
}

}  // namespace aqbench
