#include "pipeline/depth_maps/refinement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/error.h"
#include "core/parallel.h"
#include "pipeline/depth_maps/depth_guide.h"
#include "tests/pipeline/plane_sweep/kernels/agreement.h"

namespace aqbench::plane_sweep {
namespace {

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
  SyntheticScene scene;
  scene.width_px = width_px;
  scene.height_px = width_px * 3 / 4;
  scene.amplitude_m = 0.005;
  scene.noise = 0.005;
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
  Options options;
  options.depths = 16;
  options.window_px = 7;
  options.cost = cost;
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
  Options options;
  options.depths = 96;
  options.window_px = 11;
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
  Options options;
  options.window_px = 7;
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
  const int threads = thread_count();
  set_thread_count(1);
  const RefinedDepth one = refine_depth_map(views.input, {}, views.true_depth_m, 0.0005);
  set_thread_count(3);
  const RefinedDepth three = refine_depth_map(views.input, {}, views.true_depth_m, 0.0005);
  set_thread_count(threads);
  EXPECT_EQ(one.similarity, three.similarity);
  EXPECT_THAT(one.depth_m, testing::Pointwise(testing::NanSensitiveFloatEq(), three.depth_m));
}

TEST(RefinementTest, RefusesWhatDoesNotFit) {
  const SyntheticViews views = rippled_scene(64);
  EXPECT_THROW(refine_depth_map(views.input, {}, std::vector<float>(3), 0.001), Error);
  EXPECT_THROW(refine_depth_map(views.input, {}, views.true_depth_m, 0), Error);
  EXPECT_THROW(refine_depth_map(views.input, {}, views.true_depth_m, std::nan("")), Error);
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

TEST(DepthGuideTest, RefusesWhatDoesNotFit) {
  const std::vector<float> map(12, 0.2F);
  EXPECT_THROW(depth_guide(4, 4, map, map, {}), Error);
  EXPECT_THROW(depth_guide(4, 3, map, map, {0.1F, -1, 0.01F}), Error);
  EXPECT_THROW(depth_guide(4, 3, map, map, {0.1F, 1, 0}), Error);
}

}  // namespace
}  // namespace aqbench::plane_sweep
