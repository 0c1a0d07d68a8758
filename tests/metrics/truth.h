#pragma once
// Truth for the tests of metrics: a plane, clouds with known errors, and look-ups that fail loudly.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "core/random.h"
#include "metrics/score.h"
#include "scenes/surfaces/surface.h"

namespace aqbench::test {

inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

// z = 1.178 + slope_x x over the default patch, going on beyond it. Written apart from scenes/, from the
// formula alone.
class PlaneTruth : public Surface {
 public:
  explicit PlaneTruth(double slope_x = 0, const Patch& patch = {}) : slope_x_(slope_x), patch_(patch) {}

  static constexpr double kDepthM = 1.178;
  double stretch() const { return std::sqrt(1 + slope_x_ * slope_x_); }
  Vec3 normal() const { return Vec3(slope_x_, 0, -1) / stretch(); }
  Vec3 at(double x, double y) const { return {x, y, kDepthM + slope_x_ * x}; }

  void closest_points(std::span<const Vec3> points_m, std::span<ClosestPoint> out) const override {
    for (std::size_t i = 0; i < points_m.size(); ++i) {
      const double distance = (points_m[i] - at(0, 0)).dot(normal());
      out[i] = {points_m[i] - distance * normal(), normal(), distance};
    }
  }
  void signed_distances(std::span<const Vec3> points_m, std::span<double> out_m) const override {
    for (std::size_t i = 0; i < points_m.size(); ++i) out_m[i] = (points_m[i] - at(0, 0)).dot(normal());
  }
  double area_m2() const override {
    return stretch() * (patch_.x_max_m - patch_.x_min_m) * (patch_.y_max_m - patch_.y_min_m);
  }
  void sample_positions(std::uint64_t seed, std::uint64_t first_index, std::span<Vec3> out_m) const override {
    for (std::size_t i = 0; i < out_m.size(); ++i) {
      const auto [u, v] = uniform01_pair({seed, RandomStream::surface_position}, first_index + i);
      out_m[i] = at(patch_.x_min_m + u * (patch_.x_max_m - patch_.x_min_m),
                    patch_.y_min_m + v * (patch_.y_max_m - patch_.y_min_m));
    }
  }
  SurfaceSamples stratified_samples(double spacing_m, std::uint64_t seed) const override {
    SurfaceSamples samples;
    samples.spacing_m = spacing_m;
    const double width = patch_.x_max_m - patch_.x_min_m, height = patch_.y_max_m - patch_.y_min_m;
    const auto columns = static_cast<std::size_t>(std::ceil(stretch() * width / spacing_m));
    const auto rows = static_cast<std::size_t>(std::ceil(height / spacing_m));
    for (std::size_t i = 0; i < columns * rows; ++i) {
      const auto [u, v] = uniform01_pair({seed, RandomStream::completeness_samples}, i);
      samples.positions_m.push_back(
          at(patch_.x_min_m + width * (static_cast<double>(i % columns) + u) / static_cast<double>(columns),
             patch_.y_min_m + height * (static_cast<double>(i / columns) + v) / static_cast<double>(rows)));
      samples.weights.push_back(area_m2() / static_cast<double>(columns * rows));
    }
    return samples;
  }
  TriangleMesh mesh(double pitch_m) const override {
    const auto columns = static_cast<std::uint32_t>(std::lround((patch_.x_max_m - patch_.x_min_m) / pitch_m));
    const auto rows = static_cast<std::uint32_t>(std::lround((patch_.y_max_m - patch_.y_min_m) / pitch_m));
    TriangleMesh mesh;
    for (std::uint32_t row = 0; row <= rows; ++row) {
      for (std::uint32_t column = 0; column <= columns; ++column) {
        mesh.vertices_m.push_back(at(patch_.x_min_m + column * pitch_m, patch_.y_min_m + row * pitch_m));
        if (row == rows || column == columns) continue;
        const std::uint32_t a = row * (columns + 1) + column, b = a + 1, c = a + columns + 1, d = c + 1;
        mesh.triangles.push_back({a, b, d});
        mesh.triangles.push_back({a, d, c});
      }
    }
    return mesh;
  }
  const Patch* patch() const override { return &patch_; }
  bool is_height_field() const override { return true; }

 private:
  double slope_x_;
  Patch patch_;
};

// `count` area-uniform points moved by bias + sigma n along the true normal, n standard normal.
inline PointCloud noisy_cloud(const Surface& truth, std::size_t count, double sigma_m, double bias_m,
                              std::uint64_t seed) {
  PointCloud cloud;
  cloud.points_m.resize(count);
  truth.sample_positions(seed, 0, cloud.points_m);
  std::vector<ClosestPoint> closest(count);
  truth.closest_points(cloud.points_m, closest);
  for (std::size_t i = 0; i < count; ++i) {
    const double offset_m = bias_m + sigma_m * normal_pair({seed, RandomStream::point_noise}, i)[0];
    cloud.points_m[i] += offset_m * closest[i].normal;
  }
  return cloud;
}

// `count` area-uniform points with independent noise on three axes.
inline PointCloud noisy_cloud_3d(const Surface& truth, std::size_t count, double sigma_m,
                                 std::uint64_t seed) {
  PointCloud cloud;
  cloud.points_m.resize(count);
  truth.sample_positions(seed, 0, cloud.points_m);
  for (std::size_t i = 0; i < count; ++i) {
    const RandomKey key{seed, RandomStream::point_noise};
    const auto [nx, ny] = normal_pair(key, i, 0);
    cloud.points_m[i] += sigma_m * Vec3(nx, ny, normal_pair(key, i, 1)[0]);
  }
  return cloud;
}

// The value of a metric that must be there and defined.
inline double value_of(const MetricSet& metrics, const std::string& name) {
  const Metric* metric = find_metric(metrics, name);
  if (metric == nullptr || !metric->value) {
    ADD_FAILURE() << name << (metric == nullptr ? " is absent" : " is undefined: " + metric->reason);
    return kNaN;
  }
  return *metric->value;
}

// The reason of a metric that must be there and undefined.
inline std::string reason_of(const MetricSet& metrics, const std::string& name) {
  const Metric* metric = find_metric(metrics, name);
  if (metric == nullptr || metric->value) {
    ADD_FAILURE() << name << (metric == nullptr ? " is absent" : " has a value");
    return "";
  }
  return metric->reason;
}

inline MetricSet score_cloud(PointCloud cloud, const Surface& truth, const ScoreOptions& options = {}) {
  return score_reconstruction({std::move(cloud), {}, {}}, truth, options).metrics;
}

inline double normal_cdf(double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }

}  // namespace aqbench::test
