#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "core/error.h"
#include "core/parallel.h"
#include "pipeline/depth_maps/refinement.h"
#include "tests/pipeline/opencl/device_here.h"
#include "tests/pipeline/plane_sweep/kernels/agreement.h"

namespace aqbench::plane_sweep {
namespace {

// As for the kernel torch: a sample within rounding of the image's border may count as missing in one kernel.
constexpr double kCostTolerance = 1e-3, kStrayCosts = 1e-3;

class DeviceSweepTest : public test::OnDevice {
 protected:
  static Result on_device(const Input& input, Options options) {
    options.device = "opencl";
    options.keep_volume = true;
    return opencl::table().make_sweep(input, options)->sweep();
  }
  static void expect_reference(const Input& input, Options options) {
    const Result found = on_device(input, options);
    options.kernel = Kernel::reference;
    options.keep_volume = true;
    expect_agreement(found, run(input, options), kCostTolerance, kStrayCosts);
  }
};

std::vector<RefractiveCamera*> cameras_of(Input& input) {
  std::vector<RefractiveCamera*> cameras = {&input.reference.camera};
  for (View& source : input.sources) cameras.push_back(&source.camera);
  return cameras;
}

TEST_F(DeviceSweepTest, EveryCostFunctionAgreesWithTheReferenceKernel) {
  const SyntheticViews views = small_scene(75, 53, 3);
  Options options;
  options.depths = 20;
  options.batch = 8;
  options.window_px = 5;
  for (const CostFunction cost : {CostFunction::zncc, CostFunction::ncc_reference, CostFunction::ssim}) {
    SCOPED_TRACE(to_string(cost));
    options.cost = cost;
    expect_reference(views.input, options);
  }
}

TEST_F(DeviceSweepTest, TheWidestWindowAgrees) {
  const SyntheticViews views = small_scene(70, 40, 2);
  Options options;
  options.depths = 6;
  options.window_px = kMaxWindow_px;
  expect_reference(views.input, options);
}

// Straight rays, and sources of which one looks from a denser medium through level water into a thinner one.
TEST_F(DeviceSweepTest, EveryInterfaceAgrees) {
  SyntheticViews views = small_scene(75, 53, 3);
  Options options;
  options.depths = 12;
  options.window_px = 5;
  set_water(views.input.sources[1].camera, 0.978, 1.333, 1);
  views.input.sources[2].camera.optics = &kStraightRays;
  expect_reference(views.input, options);
  for (RefractiveCamera* const camera : cameras_of(views.input)) camera->optics = &kStraightRays;
  views.input.depth_min_m = 1.1;
  views.input.depth_max_m = 1.6;
  views.input.even_in_inverse = true;
  expect_reference(views.input, options);
}

TEST_F(DeviceSweepTest, RaysThatMissTheWaterAndImagesOfBytesAgree) {
  SyntheticViews views = small_scene(48, 36, 2);
  std::vector<std::uint8_t> bytes;
  for (const float grey : views.images[1])
    bytes.push_back(static_cast<std::uint8_t>(std::lround(255 * std::clamp(grey, 0.0F, 1.0F))));
  views.input.sources[0].image.floats = nullptr;
  views.input.sources[0].image.bytes = bytes.data();
  views.input.depth_min_m = 0;
  views.input.depth_max_m = 5;
  views.input.reference.camera.fx_px = views.input.reference.camera.fy_px = 12;
  Options options;
  options.depths = 16;
  options.window_px = 5;
  expect_reference(views.input, options);
}

TEST_F(DeviceSweepTest, EveryBatchGivesTheSameBits) {
  const SyntheticViews views = small_scene(64, 45, 3);
  Options options;
  options.depths = 20;
  options.batch = 1;
  options.window_px = 5;
  const Result one = on_device(views.input, options);
  EXPECT_EQ(one.kernel_calls, 20);
  for (const int batch : {7, 64}) {
    options.batch = batch;
    const Result many = on_device(views.input, options);
    EXPECT_EQ(std::memcmp(one.volume.data(), many.volume.data(), one.volume.size() * sizeof(float)), 0);
    EXPECT_EQ(std::memcmp(one.depth_m.data(), many.depth_m.data(), one.depth_m.size() * sizeof(float)), 0);
  }
}

TEST_F(DeviceSweepTest, RefinementAgreesWithTheProcessors) {
  const SyntheticViews views = small_scene(96, 72, 3);
  Options options;
  options.depths = 20;
  options.window_px = 5;
  std::vector<float> guide_m = views.true_depth_m;
  for (std::size_t i = 0; i < guide_m.size(); ++i) {
    guide_m[i] += 0.002F * std::sin(0.05F * static_cast<float>(i % 96));
    if (i % 53 == 0) guide_m[i] = std::numeric_limits<float>::quiet_NaN();
  }
  const double step_m = 0.001;
  for (const double step_at_m : {0.0, 0.2}) {
    const RefinedDepth expected = refine_depth_map(views.input, options, guide_m, step_m, step_at_m);
    Options there = options;
    there.device = "opencl";
    const auto [depth_m, similarity] =
        opencl::table().make_sweep(views.input, there)->refine(guide_m, step_m, step_at_m);
    std::size_t valid = 0, far = 0;
    for (std::size_t i = 0; i < guide_m.size(); ++i) {
      if (std::isnan(expected.depth_m[i])) continue;
      ++valid;
      const bool near = std::abs(depth_m[i] - expected.depth_m[i]) <= kMaxDepthDifference_steps * step_m &&
                        std::abs(similarity[i] - expected.similarity[i]) <= 1e-2F;
      far += near ? 0 : 1;
    }
    EXPECT_GT(valid, guide_m.size() / 2);
    EXPECT_LE(static_cast<double>(far), 0.005 * static_cast<double>(valid));
  }
}

TEST_F(DeviceSweepTest, RefusesWhatItDoesNotHave) {
  SyntheticViews views = small_scene(16, 12, 1);
  Options options;
  options.depths = 3;
  options.device = "opencl:999";
  EXPECT_THROW(opencl::table().make_sweep(views.input, options), Error);
  options.device = "opencl";
  const RayOptics other = kStraightRays;
  views.input.sources[0].camera.optics = &other;
  EXPECT_THROW(opencl::table().make_sweep(views.input, options), Error);
  views.input.sources.clear();
  EXPECT_THROW(opencl::table().make_sweep(views.input, options), Error);
}

}  // namespace
}  // namespace aqbench::plane_sweep
