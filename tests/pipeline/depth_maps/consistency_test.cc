#include "pipeline/depth_maps/consistency.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "tests/pipeline/plane_sweep/kernels/vectors.h"

namespace aqbench::plane_sweep {
namespace {

struct VectorMaps {
  std::vector<std::vector<float>> depth_m, confidence;
  std::vector<DepthView> views;
};

VectorMaps read_maps() {
  const nlohmann::json input = read_vectors("plane_sweep");
  VectorMaps maps;
  for (std::size_t i = 0; i < input.at("cameras").size(); ++i) {
    maps.depth_m.push_back(flat_numbers(input.at("depth")[i]));
    maps.confidence.push_back(flat_numbers(input.at("confidence")[i]));
  }
  for (std::size_t i = 0; i < maps.depth_m.size(); ++i)
    maps.views.push_back({camera_from_vector(input.at("cameras")[i]), maps.depth_m[i], maps.confidence[i]});
  return maps;
}

// Less than a pixel outside an image AquaMVS blends a depth of zero in; here there is no depth outside. True
// where that makes no difference to the point.
bool clear_of_borders(const VectorMaps& maps, const std::array<double, 3>& point_m) {
  for (const DepthView& view : maps.views) {
    double u = 0, v = 0;
    if (!project_fast(view.camera, point_m, u, v)) continue;
    const double out_u = std::max(-u, u - (view.camera.width_px - 1));
    const double out_v = std::max(-v, v - (view.camera.height_px - 1));
    if (std::max(out_u, out_v) > 0 && std::max(out_u, out_v) < 1) return false;
  }
  return true;
}

// The points of a depth map in the world, metres; NaN where there is no depth.
std::vector<std::array<double, 3>> points_of(const RefractiveCamera& camera, std::span<const float> depth_m) {
  std::vector<std::array<double, 3>> points_m;
  for (std::size_t i = 0; i < depth_m.size(); ++i) {
    const auto width = static_cast<std::size_t>(camera.width_px);
    WaterRay ray;
    if (!cast_ray_fast(camera, static_cast<double>(i % width), static_cast<double>(i / width), ray))
      ray.origin_m.fill(std::nan(""));
    for (int k = 0; k < 3; ++k) ray.origin_m[k] += depth_m[i] * ray.direction[k];
    points_m.push_back(ray.origin_m);
  }
  return points_m;
}

TEST(ConsistencyTest, ReproducesAquaMvs) {
  const VectorMaps maps = read_maps();
  const nlohmann::json vectors = read_vectors("consistency");
  ConsistencyOptions options;
  options.min_confidence = vectors.at("parameters").at("min_confidence").get<float>();
  options.depth_tolerance_m = vectors.at("parameters").at("depth_tolerance").get<double>();
  options.min_views = vectors.at("parameters").at("min_consistent_views").get<int>();
  for (std::size_t k = 0; k < maps.views.size(); ++k) {
    const FilteredDepth filtered = filter_by_consistency(maps.views, k, options);
    const std::vector<float> expected = flat_numbers(vectors.at("filtered_depth")[k]);
    const std::vector<float> expected_views = flat_numbers(vectors.at("consistency_count")[k]);
    const auto& expected_points = vectors.at("points")[k];
    const auto points = points_of(maps.views[k].camera, filtered.depth_m);
    const auto all_points = points_of(maps.views[k].camera, maps.depth_m[k]);
    ASSERT_EQ(filtered.depth_m.size(), expected.size());
    std::size_t differing = 0, next = 0, compared = 0;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const bool kept = !std::isnan(filtered.depth_m[i]), expected_kept = !std::isnan(expected[i]);
      EXPECT_EQ(filtered.confidence[i], kept ? maps.confidence[k][i] : 0.0F);
      const std::size_t point = expected_kept ? next++ : 0;
      if (!clear_of_borders(maps, all_points[i])) continue;
      ++compared;
      if (kept != expected_kept || filtered.views[i] != static_cast<int>(expected_views[i])) ++differing;
      if (!kept || !expected_kept) continue;
      EXPECT_EQ(filtered.depth_m[i], expected[i]);
      for (int axis = 0; axis < 3; ++axis)
        EXPECT_NEAR(points[i][axis], expected_points[point][axis].get<double>(), 1e-5) << i;
    }
    EXPECT_EQ(next, expected_points.size());
    EXPECT_GT(compared, expected.size() / 2);
    // Single precision there, double here: a difference right at the tolerance may fall to either side.
    EXPECT_LE(differing, expected.size() / 500) << "camera " << k;
  }
}

TEST(ConsistencyTest, AMapAgainstItselfAgreesAndAWrongDepthDoesNot) {
  VectorMaps maps = read_maps();
  const RefractiveCamera camera = maps.views[0].camera;
  std::vector<float> depth(maps.depth_m[0].size(), 0.2F), wrong(depth.size(), 0.21F),
      sure(depth.size(), 1.0F);
  const std::vector<DepthView> same{{camera, depth, sure}, {camera, depth, sure}, {camera, wrong, sure}};
  ConsistencyOptions options;
  options.min_views = 1;
  const FilteredDepth kept = filter_by_consistency(same, 0, options);
  const FilteredDepth dropped = filter_by_consistency(same, 2, options);
  for (int y = 1; y < camera.height_px - 1; ++y)
    for (int x = 1; x < camera.width_px - 1; ++x) {
      const std::size_t i = static_cast<std::size_t>(y) * camera.width_px + x;
      EXPECT_EQ(kept.views[i], 1);
      EXPECT_EQ(kept.depth_m[i], 0.2F);
      EXPECT_TRUE(std::isnan(dropped.depth_m[i]));
    }
}

TEST(ConsistencyTest, LowConfidenceCountsForNothing) {
  VectorMaps maps = read_maps();
  const std::vector<float> unsure(maps.depth_m[0].size(), 0.05F);
  maps.views[0].confidence = unsure;
  const FilteredDepth filtered = filter_by_consistency(maps.views, 0, {});
  for (const float depth_m : filtered.depth_m) EXPECT_TRUE(std::isnan(depth_m));
}

TEST(ConsistencyTest, RefusesBadOptionsAndSizes) {
  VectorMaps maps = read_maps();
  EXPECT_ANY_THROW(filter_by_consistency(maps.views, 9, {}));
  EXPECT_ANY_THROW(filter_by_consistency(maps.views, 0, {2.0F, 0.005, 3}));
  EXPECT_ANY_THROW(filter_by_consistency(maps.views, 0, {0.1F, -1, 3}));
  maps.views[1].depth_m = maps.views[1].depth_m.first(5);
  EXPECT_ANY_THROW(filter_by_consistency(maps.views, 0, {}));
}

// Without water a pixel of parallax is more metres the farther it is.
TEST(ConsistencyTest, TheToleranceMayGrowWithTheSquareOfTheDepth) {
  RefractiveCamera camera;
  camera.width_px = camera.height_px = 8;
  camera.fx_px = camera.fy_px = 10;
  camera.cx_px = camera.cy_px = 3.5;
  const std::vector<float> two(64, 2.0F), more(64, 2.02F), sure(64, 1.0F);
  const std::vector<DepthView> views{{camera, two, sure}, {camera, more, sure}};
  ConsistencyOptions options{.depth_tolerance_m = 0.001, .min_views = 1, .tolerance_per_m2 = 0.006};
  EXPECT_EQ(filter_by_consistency(views, 0, options).depth_m[27], 2.0F) << "0.024 m at 2 m";
  options.tolerance_per_m2 = 0.004;
  EXPECT_TRUE(std::isnan(filter_by_consistency(views, 0, options).depth_m[27])) << "0.016 m";
}

}  // namespace
}  // namespace aqbench::plane_sweep
