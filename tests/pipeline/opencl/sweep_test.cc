#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "core/error.h"
#include "pipeline/depth_maps/depth_maps.h"
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
    expect_agreement(found, run_kernel(input, options, Kernel::reference), kCostTolerance, kStrayCosts);
  }
};

std::vector<RefractiveCamera*> cameras_of(Input& input) {
  std::vector<RefractiveCamera*> cameras = {&input.reference.camera};
  for (View& source : input.sources) cameras.push_back(&source.camera);
  return cameras;
}

TEST_F(DeviceSweepTest, EveryCostFunctionAndWindowAgreesWithTheReferenceKernel) {
  const SyntheticViews views = small_scene(75, 53, 3);
  Options options{.depths = 20, .batch = 8};
  for (const CostFunction cost : {CostFunction::zncc, CostFunction::ncc_reference, CostFunction::ssim})
    for (const int window_px : {kMinWindow_px, 5, 11, kMaxWindow_px}) {
      SCOPED_TRACE(to_string(cost) + std::string(", window ") + std::to_string(window_px));
      options.cost = cost;
      options.window_px = window_px;
      expect_reference(views.input, options);
    }
}

// Straight rays, and cameras that look from a denser medium into a thinner one: a source, then the reference.
TEST_F(DeviceSweepTest, EveryInterfaceAgrees) {
  SyntheticViews views = small_scene(75, 53, 3);
  const Options options{.depths = 12, .window_px = 5};
  set_water(views.input.sources[1].camera, 0.978, 1.333, 1);
  views.input.sources[2].camera.optics = &kStraightRays;
  expect_reference(views.input, options);
  set_water(views.input.reference.camera, 0.978, 1.333, 1);
  expect_reference(views.input, options);
  for (RefractiveCamera* const camera : cameras_of(views.input)) camera->optics = &kStraightRays;
  views.input.depth_min_m = 1.1;
  views.input.depth_max_m = 1.6;
  views.input.even_in_inverse = true;
  expect_reference(views.input, options);
}

TEST_F(DeviceSweepTest, RaysThatMissTheWaterAgree) {
  SyntheticViews views = small_scene(48, 36, 2);
  views.input.depth_min_m = 0;
  views.input.depth_max_m = 5;
  views.input.reference.camera.fx_px = views.input.reference.camera.fy_px = 12;
  const Options options{.depths = 16, .window_px = 5};
  expect_reference(views.input, options);
}

TEST_F(DeviceSweepTest, EveryBatchGivesTheSameBits) {
  const SyntheticViews views = small_scene(64, 45, 3);
  Options options{.depths = 20, .window_px = 5, .batch = 1};
  const Result one = on_device(views.input, options);
  EXPECT_EQ(one.kernel_calls, 20);
  for (const int batch : {7, 64}) {
    options.batch = batch;
    const Result many = on_device(views.input, options);
    expect_same_bits(one.volume, many.volume);
    expect_same_bits(one.depth_m, many.depth_m);
  }
}

TEST_F(DeviceSweepTest, RefinementAgreesWithTheProcessors) {
  const SyntheticViews views = small_scene(96, 72, 3);
  const Options options{.depths = 20, .window_px = 5};
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
    const RefinedDepth found =
        opencl::table().make_sweep(views.input, there)->refine(guide_m, step_m, step_at_m);
    std::size_t valid = 0, far = 0;
    for (std::size_t i = 0; i < guide_m.size(); ++i) {
      if (std::isnan(expected.depth_m[i])) continue;
      ++valid;
      const bool near =
          std::abs(found.depth_m[i] - expected.depth_m[i]) <= kMaxDepthDifference_steps * step_m &&
          std::abs(found.similarity[i] - expected.similarity[i]) <= 1e-2F;
      far += near ? 0 : 1;
    }
    EXPECT_GT(valid, guide_m.size() / 2);
    EXPECT_LE(static_cast<double>(far), 0.005 * static_cast<double>(valid));
  }
}

TEST_F(DeviceSweepTest, RefusesWhatItDoesNotHave) {
  SyntheticViews views = small_scene(16, 12, 1);
  Options options{.depths = 3, .device = "opencl:999"};
  EXPECT_THROW(opencl::table().make_sweep(views.input, options), Error);
  options.device = "opencl";
  const RayOptics other = kStraightRays;
  views.input.sources[0].camera.optics = &other;
  EXPECT_THROW(opencl::table().make_sweep(views.input, options), Error);
  views.input.sources.clear();
  EXPECT_THROW(opencl::table().make_sweep(views.input, options), Error);
}

struct Maps {
  std::vector<std::vector<float>> depth_m, confidence;
  std::vector<DepthView> views;
};

// True depths with errors about as large as the tolerance, holes, and pixels without confidence.
Maps noisy_maps(const std::vector<RefractiveCamera>& cameras, const SyntheticScene& scene) {
  Maps maps;
  for (std::size_t k = 0; k < cameras.size(); ++k) {
    std::vector<float> image, depth_m;
    render_view(scene, cameras[k], k, image, &depth_m);
    std::vector<float> confidence(depth_m.size());
    for (std::size_t i = 0; i < depth_m.size(); ++i) {
      depth_m[i] += static_cast<float>(0.004 * (hashed_unit(k * depth_m.size() + i) - 0.5));
      if (i % 17 == k) depth_m[i] = std::numeric_limits<float>::quiet_NaN();
      confidence[i] = i % 13 == k ? 0.05F : 0.8F;
    }
    maps.depth_m.push_back(std::move(depth_m));
    maps.confidence.push_back(std::move(confidence));
  }
  for (std::size_t k = 0; k < cameras.size(); ++k)
    maps.views.push_back({cameras[k], maps.depth_m[k], maps.confidence[k]});
  return maps;
}

TEST_F(DeviceSweepTest, TheFilterAgreesWithTheProcessors) {
  const SyntheticScene scene{.width_px = 90, .height_px = 70, .amplitude_m = 0.005};
  std::vector<RefractiveCamera> cameras;
  for (const int index : {0, 1, 2, 11}) cameras.push_back(ring_camera(scene, index));
  cameras[3].optics = &kStraightRays;  // its depths agree with nothing
  const Maps maps = noisy_maps(cameras, scene);
  for (const double per_square : {0.0, 0.05}) {
    ConsistencyOptions options{.depth_tolerance_m = 0.0015, .min_views = 2, .tolerance_per_m2 = per_square};
    const FilteredDepth expected = filter_by_consistency(maps.views, 1, options);
    options.device = "opencl";
    const auto agreeing = opencl::table().agreeing_views(maps.views, options);
    const FilteredDepth found = filter_by_consistency(maps.views, 1, options, agreeing.at(1));
    std::size_t kept = 0, differing = 0;
    for (std::size_t i = 0; i < expected.views.size(); ++i) {
      kept += std::isnan(expected.depth_m[i]) ? 0 : 1;
      differing += std::isnan(expected.depth_m[i]) != std::isnan(found.depth_m[i]) ? 1 : 0;
    }
    EXPECT_GT(kept, expected.views.size() / 10);
    EXPECT_LT(kept, expected.views.size());
    // Differences as large as the tolerance to the last digit.
    EXPECT_LE(differing, expected.views.size() / 500);
  }
}

}  // namespace
}  // namespace aqbench::plane_sweep
