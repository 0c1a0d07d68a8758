#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "pipeline/plane_sweep/kernels/plane_sweep.h"
#include "pipeline/plane_sweep/kernels/synthetic_scene.h"
#include "tests/core/on_threads.h"
#include "tests/pipeline/plane_sweep/kernels/agreement.h"

namespace aqbench::plane_sweep {
namespace {

void expect_the_reference(const Input& input, const Options& options) {
  expect_agreement(run_kernel(input, options, Kernel::fused), run_kernel(input, options, Kernel::reference),
                   3e-4);
}

class FusedCostTest : public testing::TestWithParam<CostFunction> {};

INSTANTIATE_TEST_SUITE_P(Costs, FusedCostTest,
                         testing::Values(CostFunction::zncc, CostFunction::ncc_reference, CostFunction::ssim),
                         [](const auto& test) { return std::string(to_string(test.param)); });

// The ring's views overlap in part: samples leave the sources on every side.
TEST_P(FusedCostTest, AgreesWithReferenceForEveryWindow) {
  const SyntheticViews views = small_scene(75, 53, 3);
  Options options{.depths = 20, .cost = GetParam()};
  for (const int window : {3, 5, 7, 11, 15}) {
    SCOPED_TRACE(window);
    options.window_px = window;
    expect_the_reference(views.input, options);
  }
}

TEST_P(FusedCostTest, AgreesWithReferenceForOddSizesAndNumbersOfDepths) {
  Options options{.window_px = 7, .cost = GetParam()};
  const struct {
    int width, height, sources, depths;
  } cases[] = {{33, 33, 1, 3}, {1, 40, 2, 17}, {40, 1, 2, 16}, {65, 34, 1, 33}, {5, 4, 4, 31}, {1, 1, 1, 5}};
  for (const auto& size : cases) {
    SCOPED_TRACE(testing::Message() << size.width << " x " << size.height << " x " << size.depths);
    options.depths = size.depths;
    expect_the_reference(small_scene(size.width, size.height, size.sources).input, options);
  }
}

// Over metres of depth the polynomials of a tile do not follow: narrow strips and exact projections take
// over. Then even steps of inverse depth.
TEST_P(FusedCostTest, AgreesWithReferenceOverMetresOfDepthAndInInverseDepth) {
  SyntheticViews views = small_scene(60, 45, 2);
  const Options options{.depths = 24, .window_px = 5, .cost = GetParam()};
  views.input.depth_min_m = 0;
  views.input.depth_max_m = 6;
  expect_the_reference(views.input, options);
  views.input.depth_min_m = 0.1;
  views.input.depth_max_m = 1;
  views.input.even_in_inverse = true;
  expect_the_reference(views.input, options);
}

TEST_P(FusedCostTest, NoTextureMeansNoConfidence) {
  SyntheticViews views = small_scene(70, 50, 2);
  for (auto& image : views.images) std::fill(image.begin(), image.end(), 0.4F);
  const Options options{.depths = 20, .cost = GetParam(), .keep_volume = true};
  const Result result = run(views.input, options);
  for (const float cost : result.volume) ASSERT_FALSE(std::isnan(cost));
  if (GetParam() == CostFunction::ssim) return;  // equal images are similar whatever the texture
  for (const float confidence : result.confidence) EXPECT_LT(confidence, 0.05F);
}

TEST_P(FusedCostTest, BytesDoNotDependOnTheThreadCount) {
  const SyntheticViews views = small_scene(150, 110, 3);
  const Options options{.depths = 24, .cost = GetParam()};
  const auto results = on_threads<1, 2, 3, 8>([&] { return run(views.input, options); });
  for (const Result& several : results) {
    expect_same_bits(results[0].depth_m, several.depth_m);
    expect_same_bits(results[0].confidence, several.confidence);
  }
}

TEST(FusedKernelTest, FindsTheSurface) {
  const SyntheticScene scene{.width_px = 320, .height_px = 240};
  const SyntheticViews views = render_synthetic(scene, 0.17, 0.27);
  const Options options{.depths = 64};
  const Result result = run(views.input, options);
  std::vector<float> errors_m;
  for (std::size_t i = 0; i < result.depth_m.size(); ++i)
    if (!std::isnan(result.depth_m[i]))
      errors_m.push_back(std::abs(result.depth_m[i] - views.true_depth_m[i]));
  ASSERT_GT(errors_m.size(), result.depth_m.size() * 9 / 10);
  std::nth_element(errors_m.begin(), errors_m.begin() + static_cast<long>(errors_m.size() / 2),
                   errors_m.end());
  EXPECT_LT(errors_m[errors_m.size() / 2], 0.001F);
}

TEST(FusedKernelTest, KeepingTheVolumeChangesNothing) {
  const SyntheticViews views = small_scene(90, 60, 2);
  Options options{.depths = 21};
  const Result streamed = run(views.input, options);
  options.keep_volume = true;
  const Result kept = run(views.input, options);
  EXPECT_TRUE(streamed.volume.empty());
  EXPECT_EQ(kept.volume.size(), kept.depth_m.size() * 21);
  expect_same_bits(streamed.depth_m, kept.depth_m);
}

TEST(FusedKernelTest, SourcesMayHaveAnotherSize) {
  SyntheticViews views = small_scene(64, 48, 2);
  SyntheticScene scene{.width_px = 91, .height_px = 70};
  View& source = views.input.sources[1];
  source.camera = ring_camera(scene, 11);
  scene.wavelength_min_m = 0.02;
  scene.wavelength_max_m = 0.08;
  std::vector<float> image;
  render_view(scene, source.camera, 9, image, nullptr);
  source.image = {91, 70, image.data()};
  const Options options{.depths = 16};
  expect_the_reference(views.input, options);
}

// Turned towards the horizon, part of the reference's rays never meets the water, and a source may look
// elsewhere.
TEST(FusedKernelTest, RaysThatMissTheWaterAndSourcesThatLookAway) {
  SyntheticViews views = small_scene(64, 48, 2);
  const auto turn = [](RefractiveCamera& camera, double angle) {  // about the camera's y axis
    const double c = std::cos(angle), s = std::sin(angle);
    const RefractiveCamera old = camera;
    for (int k = 0; k < 3; ++k) {
      camera.rotation[k] = c * old.rotation[k] - s * old.rotation[6 + k];
      camera.rotation[6 + k] = s * old.rotation[k] + c * old.rotation[6 + k];
    }
  };
  const Options options{.depths = 16, .window_px = 5};
  for (const double angle : {-1.3, 0.9, 1.3, 2.5}) {
    SCOPED_TRACE(angle);
    SyntheticViews turned = views;
    turn(turned.input.reference.camera, angle);
    expect_the_reference(turned.input, options);
    turned = views;
    turn(turned.input.sources[0].camera, angle);
    expect_the_reference(turned.input, options);
  }
}

}  // namespace
}  // namespace aqbench::plane_sweep
