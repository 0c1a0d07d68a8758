#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/error.h"
#include "pipeline/depth_maps/depth_maps.h"
#include "tests/core/error_matcher.h"
#include "tests/core/on_threads.h"
#include "tests/pipeline/plane_sweep/kernels/agreement.h"
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
  const ConsistencyOptions options{
      .min_confidence = vectors.at("parameters").at("min_confidence").get<float>(),
      .depth_tolerance_m = vectors.at("parameters").at("depth_tolerance").get<double>(),
      .min_views = vectors.at("parameters").at("min_consistent_views").get<int>()};
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
      const int counted = static_cast<int>(expected_views[i]);  // of all views, which ours stops short of
      if (kept != expected_kept ||
          (kept ? filtered.views[i] != options.min_views : filtered.views[i] > counted))
        ++differing;
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
  const ConsistencyOptions options{.min_views = 1};
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

constexpr float kNone = std::numeric_limits<float>::quiet_NaN();

double rmse_m(const std::vector<float>& found, const std::vector<float>& truth) {
  double sum = 0;
  std::size_t count = 0;
  for (std::size_t i = 0; i < truth.size(); ++i) {
    if (!std::isfinite(found[i]) || !std::isfinite(truth[i])) continue;
    sum += std::pow(static_cast<double>(found[i]) - truth[i], 2);
    ++count;
  }
  return std::sqrt(sum / static_cast<double>(count));
}

SyntheticViews rippled_scene(int width_px) {
  SyntheticScene scene{
      .width_px = width_px, .height_px = width_px * 3 / 4, .amplitude_m = 0.005, .noise = 0.005};
  scene.focal_px = 900;  // a pixel sees 1.4 mm of the surface, a ripple is 50 mm long
  scene.wavelength_min_m = 0.004;
  scene.wavelength_max_m = 0.03;
  return render_synthetic(scene, 0.15, 0.3);
}

// At one guide for all pixels its hypotheses are those of a sweep: another sampler, but equal windows.
void expect_sweep_at_flat_guide(CostFunction cost) {
  SyntheticViews views = small_scene(120, 90, 3);
  views.input.depth_min_m = 0.19;
  views.input.depth_max_m = 0.25;
  const Options options{.depths = 16, .window_px = 7, .cost = cost};
  const Result swept = run(views.input, options);
  const double step_m = (views.input.depth_max_m - views.input.depth_min_m) / 15;
  const std::vector<float> guide_m(swept.depth_m.size(), 0.22F);
  const RefinedDepth refined = refine_depth_map(views.input, options, guide_m, step_m);
  std::size_t valid = 0, far = 0, missing = 0;
  for (std::size_t i = 0; i < guide_m.size(); ++i) {
    if (std::isnan(swept.depth_m[i])) continue;
    ++valid;
    missing += std::isnan(refined.depth_m[i]) ? 1 : 0;
    far += std::abs(refined.depth_m[i] - swept.depth_m[i]) > 0.02 * step_m ? 1 : 0;
  }
  EXPECT_GT(valid, guide_m.size() / 2);
  EXPECT_LE(missing, valid / 200);
  EXPECT_LE(far, valid / 200);
}

TEST(RefinementTest, IsTheSweepWhereTheGuideIsFlat) { expect_sweep_at_flat_guide(CostFunction::zncc); }
TEST(RefinementTest, IsTheSweepForTheOtherStatisticsToo) { expect_sweep_at_flat_guide(CostFunction::ssim); }

TEST(RefinementTest, FollowsRipplesThatTheSweepSmooths) {
  SyntheticViews views = rippled_scene(200);
  views.input.depth_min_m = 0.17;
  views.input.depth_max_m = 0.26;
  const Options options{.depths = 96, .window_px = 11};
  const Result swept = run(views.input, options);
  std::vector<float> depth_m = swept.depth_m, confidence = swept.confidence;
  for (int pass = 0; pass < 2; ++pass) {
    const auto guide_m = depth_guide(200, 150, depth_m, confidence, {0.3F, 1, 0.012F});
    RefinedDepth refined = refine_depth_map(views.input, options, guide_m, 0.0004);
    depth_m = std::move(refined.depth_m);
    confidence = std::move(refined.similarity);
  }
  std::vector<float> swept_m = swept.depth_m;  // compared over the pixels that both have
  for (std::size_t i = 0; i < depth_m.size(); ++i)
    if (!(confidence[i] > 0.5F)) swept_m[i] = depth_m[i] = kNone;
  EXPECT_GT(std::ranges::count_if(depth_m, [](float d) { return std::isfinite(d); }),
            static_cast<std::ptrdiff_t>(depth_m.size()) / 2);
  EXPECT_LT(rmse_m(depth_m, views.true_depth_m), 0.7 * rmse_m(swept_m, views.true_depth_m));
}

TEST(RefinementTest, LeavesOutPixelsWithoutGuideAndRanksTheTruthFirst) {
  const SyntheticViews views = rippled_scene(160);
  const Options options{.window_px = 7};
  std::vector<float> guide_m = views.true_depth_m;
  for (std::size_t i = 0; i < guide_m.size(); i += 7) guide_m[i] = kNone;
  const RefinedDepth refined = refine_depth_map(views.input, options, guide_m, 0.0005);
  std::size_t inside = 0, valid = 0;
  for (std::size_t y = 20; y < 100; ++y)
    for (std::size_t x = 20; x < 140; ++x) {
      const std::size_t i = y * 160 + x;
      if (std::isnan(guide_m[i])) {
        EXPECT_TRUE(std::isnan(refined.depth_m[i]));
        EXPECT_EQ(refined.similarity[i], 0);
        continue;
      }
      ++inside;
      if (std::isfinite(refined.depth_m[i])) ++valid;
    }
  EXPECT_GT(valid, inside * 9 / 10);
  EXPECT_LT(rmse_m(refined.depth_m, guide_m), 0.002);
}

TEST(RefinementTest, DoesNotDependOnTheThreadCount) {
  const SyntheticViews views = rippled_scene(200);
  const auto [one, three] =
      on_threads<1, 3>([&] { return refine_depth_map(views.input, {}, views.true_depth_m, 0.0005); });
  EXPECT_EQ(one.similarity, three.similarity);
  EXPECT_THAT(one.depth_m, testing::Pointwise(testing::NanSensitiveFloatEq(), three.depth_m));
}

TEST(DepthGuideTest, KeepsSlopesAndStepsAndFillsSmallHoles) {
  const int width = 40, height = 30;
  std::vector<float> depth_m(std::size_t{width} * height), confidence(depth_m.size(), 1.0F);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      depth_m[y * width + x] = 0.2F + 0.001F * static_cast<float>(x) + (y >= 15 ? 0.05F : 0.0F);
  std::vector<float> holed = depth_m;
  holed[7 * width + 20] = kNone;
  confidence[20 * width + 11] = 0;
  holed[20 * width + 11] = 9;  // wrong, and without confidence
  const auto guide_m = depth_guide(width, height, holed, confidence, {0.5F, 2, 0.012F});
  for (int y = 2; y < height - 2; ++y)
    for (int x = 2; x < width - 2; ++x)
      EXPECT_NEAR(guide_m[y * width + x], depth_m[y * width + x], 1.5e-4) << x << " " << y;
  const std::vector<float> nothing(depth_m.size(), kNone);
  for (const float depth : depth_guide(width, height, nothing, confidence, {}))
    EXPECT_TRUE(std::isnan(depth));
}

constexpr double kFocal_px = 600;

// A camera at (x_m, 0, -1) that looks straight down; the water has the index of air, so rays are straight.
DatasetView straight_view(const char* name, double x_m, bool is_auxiliary = false) {
  DatasetView view;
  view.name = name;
  view.is_auxiliary = is_auxiliary;
  view.camera.width_px = 101;
  view.camera.height_px = 81;
  view.camera.fx_px = view.camera.fy_px = kFocal_px;
  view.camera.cx_px = 50;
  view.camera.cy_px = 40;
  set_pose(view.camera, {1, 0, 0, 0, 1, 0, 0, 0, 1}, {-x_m, 0, 1});
  set_water(view.camera, 0, 1, 1);
  return view;
}

// Stereo of two parallel cameras: disparity = f B / Z, so that a pixel of it is Z^2 / (f B) of depth.
TEST(PixelResolution, IsThatOfStereoWhereRaysAreStraight) {
  const std::vector<DatasetView> views = {straight_view("a", 0), straight_view("b", 0.2),
                                          straight_view("c", -0.1)};
  const double z_m = 1.5;  // 0.5 below the water, the middle of the range
  const std::vector<std::size_t> one = {1}, both = {1, 2};
  const PixelResolution pair = pixel_resolution(views, 0, one, {0.4, 0.6});
  EXPECT_NEAR(pair.footprint_m, z_m / kFocal_px, 1e-6);
  EXPECT_NEAR(pair.depth_per_pixel_m, z_m * z_m / (kFocal_px * 0.2), 1e-5);
  const double root_mean_square_m = std::sqrt((0.2 * 0.2 + 0.1 * 0.1) / 2);
  EXPECT_NEAR(pixel_resolution(views, 0, both, {0.4, 0.6}).depth_per_pixel_m,
              z_m * z_m / (kFocal_px * root_mean_square_m), 1e-5);
}

TEST(PixelResolution, OfADatasetIsTheFinestFootprintAndTheCoarsestDepth) {
  const std::vector<DatasetView> views = {straight_view("a", 0), straight_view("b", 0.2),
                                          straight_view("aux", 0.05, true)};
  const std::vector<sparse::DepthRange> ranges = {{0.4, 0.6}, {0.9, 1.1}, {5, 6}};
  const std::vector<std::size_t> of_b = {0, 2};
  const PixelResolution all = dataset_resolution(views, ranges, 1);
  EXPECT_NEAR(all.footprint_m, 1.5 / kFocal_px, 1e-6);
  EXPECT_EQ(all.depth_per_pixel_m, pixel_resolution(views, 1, of_b, ranges[1]).depth_per_pixel_m);
}

TEST(PixelResolution, RefusesCamerasInOnePlace) {
  const std::vector<DatasetView> views = {straight_view("a", 0), straight_view("twin", 0)};
  const std::vector<std::size_t> sources = {1};
  EXPECT_EQ(error_of(ErrorKind::method,
                     [&] {
                       pixel_resolution(views, 0, sources, {0.4, 0.6});
                     }),
            "plane_sweep: no other camera resolves depths of a");
}

}  // namespace
}  // namespace aqbench::plane_sweep
