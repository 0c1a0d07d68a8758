#pragma once
// A similarity that tests plant and find again, and camera centres that it moves.

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <random>
#include <vector>

#include "scenes/cloud/transform.h"

namespace aqbench::test {

// Scale 1.02, 20 degrees, 0.3 m.
inline Similarity planted_similarity() {
  Similarity planted;
  planted.scale = 1.02;
  const Vec3 axis = Vec3(1, -2, 3).normalized();
  planted.linear = 1.02 * Eigen::AngleAxisd(20 * std::numbers::pi / 180, axis).toRotationMatrix();
  planted.translation_m = 0.3 * Vec3(2, 1, -2) / 3;
  return planted;
}

inline Vec3 moved(const Similarity& b_from_a, const Vec3& point) {
  return b_from_a.linear * point + b_from_a.translation_m;
}

inline Vec3 moved_back(const Similarity& b_from_a, const Vec3& point) {
  return b_from_a.linear.inverse() * (point - b_from_a.translation_m);
}

struct CentrePairs {
  std::vector<Vec3> from, to;
};

// Cameras on a wavy ring of radius 2 m in the truth's frame; `from` has them before the similarity was
// planted, with normal noise of sigma_m on each axis. The first `wrong` are metres off.
inline CentrePairs ring_of_cameras(std::size_t count, double sigma_m, std::size_t wrong, unsigned seed) {
  std::mt19937_64 generator(seed);
  std::normal_distribution<double> noise(0, 1);
  CentrePairs pairs;
  for (std::size_t i = 0; i < count; ++i) {
    const double angle = 2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(count);
    const Vec3 at(2 * std::cos(angle), 2 * std::sin(angle), -1 + 0.3 * std::sin(3 * angle));
    const Vec3 error = sigma_m * Vec3(noise(generator), noise(generator), noise(generator));
    pairs.to.push_back(at);
    pairs.from.push_back(moved_back(planted_similarity(), at) + error);
  }
  for (std::size_t i = 0; i < wrong; ++i)
    pairs.from[i * (count / wrong)] += Vec3(1 + static_cast<double>(i), -2, 0.5);
  return pairs;
}

// The farthest that two similarities move one of the points apart, in metres.
inline double farthest_apart(const Similarity& a, const Similarity& b, const std::vector<Vec3>& points) {
  double farthest = 0;
  for (const Vec3& point : points) farthest = std::max(farthest, (moved(a, point) - moved(b, point)).norm());
  return farthest;
}

}  // namespace aqbench::test
