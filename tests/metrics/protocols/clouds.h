#pragma once
// Clouds and scans for tests of protocols, and distances between them by comparing every pair.

#include <cmath>
#include <limits>
#include <vector>

#include "core/random.h"
#include "metrics/protocols/cloud_truth.h"

namespace aqbench::test {

// `count` points of z = 0.1 sin(8 x) over a square of `side_m`, moved by normal noise along z.
inline std::vector<Vec3> wavy_points(std::size_t count, double side_m, double sigma_m, std::uint64_t seed) {
  std::vector<Vec3> points_m;
  for (std::size_t i = 0; i < count; ++i) {
    const auto [u, v] = uniform01_pair({seed, RandomStream::surface_position}, i);
    const double noise = normal_pair({seed, RandomStream::point_noise}, i)[0];
    const double x = side_m * (u - 0.5);
    points_m.emplace_back(x, side_m * (v - 0.5), 0.1 * std::sin(8 * x) + sigma_m * noise);
  }
  return points_m;
}

// Returns the distance from a point to the nearest of others.
inline double nearest_m(const Vec3& point, const std::vector<Vec3>& others) {
  double least = std::numeric_limits<double>::infinity();
  for (const Vec3& other : others) least = std::min(least, (other - point).norm());
  return least;
}

// The scan of these points from a place, in a scanner's frame that is turned about z.
inline BeamScan scan_from(const Vec3& place_m, double turn_rad, const std::vector<Vec3>& points_m) {
  BeamScan scan;
  scan.world_from_scanner(0, 0) = scan.world_from_scanner(1, 1) = std::cos(turn_rad);
  scan.world_from_scanner(1, 0) = std::sin(turn_rad);
  scan.world_from_scanner(0, 1) = -std::sin(turn_rad);
  scan.world_from_scanner.topRightCorner<3, 1>() = place_m;
  const Eigen::Matrix3d turn = scan.world_from_scanner.topLeftCorner<3, 3>();
  for (const Vec3& point : points_m) scan.points_m.push_back(turn.transpose() * (point - place_m));
  return scan;
}

}  // namespace aqbench::test
