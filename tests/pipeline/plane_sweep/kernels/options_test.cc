#include "pipeline/plane_sweep/kernels/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "pipeline/plane_sweep/kernels/plane_sweep.h"
#include "pipeline/plane_sweep/kernels/synthetic_scene.h"

namespace aqbench::plane_sweep {
namespace {

template <typename Action>
std::string message_of(Action&& action, ErrorKind kind) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), kind) << error.what();
    return error.what();
  }
  return "no error";
}

std::string refused(void (*change)(Options&)) {
  Options options;
  change(options);
  return message_of([&] { check(options); }, ErrorKind::usage);
}

TEST(OptionsTest, RefusalsNameTheField) {
  EXPECT_EQ(refused([](Options& o) { o.depths = 2; }), "depths: must be 3 to 4096, got 2");
  EXPECT_THAT(refused([](Options& o) { o.depths = 5000; }), testing::StartsWith("depths: "));
  EXPECT_EQ(refused([](Options& o) { o.window_px = 8; }), "window: must be odd, got 8");
  EXPECT_THAT(refused([](Options& o) { o.window_px = 1; }), testing::StartsWith("window: "));
  EXPECT_THAT(refused([](Options& o) { o.batch = 0; }), testing::StartsWith("batch: "));
  EXPECT_THAT(refused([](Options& o) { o.noise_variance = 0; }), testing::StartsWith("noise_variance: "));
}

TEST(OptionsTest, NamesGoBothWays) {
  for (const std::string& name : cost_function_names())
    EXPECT_EQ(to_string(cost_function_from_name(name)), name);
  for (const std::string& name : kernel_names()) EXPECT_EQ(to_string(kernel_from_name(name)), name);
  EXPECT_EQ(message_of([] { cost_function_from_name("sad"); }, ErrorKind::usage),
            "cost: unknown 'sad'; choose from zncc, ncc_reference, ssim");
  EXPECT_EQ(message_of([] { kernel_from_name("gpu"); }, ErrorKind::usage),
            "kernel: unknown 'gpu'; choose from reference, torch, fused");
}

TEST(OptionsTest, OnlyLibTorchRunsOnAnotherDevice) {
  Options options;
  options.device = "opencl";
  EXPECT_EQ(message_of([&] { run({}, options); }, ErrorKind::usage),
            "device: kernel fused runs on cpu only, got 'opencl'");
}

TEST(InputTest, RefusalsNameTheView) {
  SyntheticScene scene;
  scene.width_px = 12;
  scene.height_px = 10;
  scene.sources = 2;
  const SyntheticViews views = render_synthetic(scene, 0.1, 0.2);
  const auto refused_input = [&](auto&& change) {
    Input input = views.input;
    change(input);
    return message_of([&] { check(input); }, ErrorKind::input);
  };
  EXPECT_EQ(refused_input([](Input& i) { i.sources.clear(); }), "sources: at least one is needed");
  EXPECT_EQ(refused_input([](Input& i) { i.depth_max_m = 0.1; }),
            "depth range: must be 0 <= min < max, got 0.100000 to 0.100000 m");
  EXPECT_THAT(refused_input([](Input& i) { i.depth_min_m = -0.1; }), testing::StartsWith("depth range: "));
  EXPECT_EQ(refused_input([](Input& i) { i.sources[1].image.width_px = 11; }),
            "sources[1].image: 11 x 10 px, but its camera has 12 x 10");
  EXPECT_EQ(refused_input([](Input& i) { i.reference.image.floats = nullptr; }),
            "reference.image: needs either floats or bytes");
  EXPECT_EQ(refused_input([](Input& i) { i.sources[0].camera.fx_px = 0; }),
            "sources[0].camera.fx_px, fy_px: must be positive and finite");
  EXPECT_EQ(refused_input([](Input& i) { i.reference.camera.rotation[0] = 2; }),
            "reference.camera.rotation: is not a rotation");
  EXPECT_EQ(refused_input([](Input& i) { i.reference.camera.water_z_m = -1; }),
            "reference.camera.centre_m: must be above the water");
  std::vector<float> bad(120, 0.5F);
  bad[77] = std::nanf("");
  EXPECT_EQ(refused_input([&](Input& i) { i.sources[0].image.floats = bad.data(); }),
            "sources[0].image: grey values must be finite");
}

}  // namespace
}  // namespace aqbench::plane_sweep
