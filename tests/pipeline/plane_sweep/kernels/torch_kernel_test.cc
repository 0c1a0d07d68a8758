#include <gtest/gtest.h>

#include <cstring>

#include "core/error.h"
#include "core/parallel.h"
#include "pipeline/plane_sweep/kernels/plane_sweep.h"
#include "tests/pipeline/plane_sweep/kernels/agreement.h"

namespace aqbench::plane_sweep {
namespace {

// A sample within rounding of the image's border may count as missing in one kernel only.
constexpr double kStrayCosts = 1e-3;

class TorchCostTest : public testing::TestWithParam<CostFunction> {};

INSTANTIATE_TEST_SUITE_P(Costs, TorchCostTest,
                         testing::Values(CostFunction::zncc, CostFunction::ncc_reference, CostFunction::ssim),
                         [](const auto& test) { return std::string(to_string(test.param)); });

Result run_kernel(const Input& input, Options options, Kernel kernel) {
  options.kernel = kernel;
  options.keep_volume = true;
  return run(input, options);
}

TEST_P(TorchCostTest, AgreesWithReference) {
  Options options;
  options.cost = GetParam();
  options.depths = 20;
  options.batch = 8;
  for (const int window : {5, 11}) {
    SCOPED_TRACE(window);
    options.window_px = window;
    const SyntheticViews views = small_scene(75, 53, 3);
    expect_agreement(run_kernel(views.input, options, Kernel::torch),
                     run_kernel(views.input, options, Kernel::reference), 1e-3, kStrayCosts);
  }
}

TEST_P(TorchCostTest, CostsAreTheSameForEveryBatchAndThreadCount) {
  const SyntheticViews views = small_scene(64, 45, 2);
  Options options;
  options.cost = GetParam();
  options.depths = 20;
  options.batch = 1;
  const int threads = thread_count();
  set_thread_count(1);
  const Result one = run_kernel(views.input, options, Kernel::torch);
  for (const int batch : {2, 7, 64}) {
    set_thread_count(batch % 2 + 1);
    options.batch = batch;
    const Result many = run_kernel(views.input, options, Kernel::torch);
    EXPECT_EQ(std::memcmp(one.volume.data(), many.volume.data(), one.volume.size() * sizeof(float)), 0)
        << batch;
    EXPECT_EQ(std::memcmp(one.depth_m.data(), many.depth_m.data(), one.depth_m.size() * sizeof(float)), 0)
        << batch;
  }
  set_thread_count(threads);
}

// So far off the axis that no polynomial follows: the positions are projected one by one.
TEST(TorchKernelTest, RaysThatMissTheWaterAndWideRanges) {
  SyntheticViews views = small_scene(48, 36, 2);
  views.input.depth_min_m = 0;
  views.input.depth_max_m = 5;
  RefractiveCamera& camera = views.input.reference.camera;
  camera.fx_px = camera.fy_px = 12;
  Options options;
  options.depths = 16;
  options.window_px = 5;
  expect_agreement(run_kernel(views.input, options, Kernel::torch),
                   run_kernel(views.input, options, Kernel::reference), 1e-3, kStrayCosts);
}

TEST(TorchKernelTest, RefusesUnavailableDevices) {
  const SyntheticViews views = small_scene(16, 12, 1);
  Options options;
  options.depths = 3;
  options.kernel = Kernel::torch;
  for (const char* device : {"nonsense", "mkldnn"}) {
    options.device = device;
    EXPECT_THROW(run(views.input, options), Error) << device;
  }
}

TEST(TorchKernelTest, CudaGivesTheSameAsTheCpu) {
  const SyntheticViews views = small_scene(75, 53, 3);
  Options options;
  options.depths = 20;
  const Result cpu = run_kernel(views.input, options, Kernel::torch);
  options.device = "cuda";
  Result cuda;
  try {
    cuda = run_kernel(views.input, options, Kernel::torch);
  } catch (const Error& error) {
    GTEST_SKIP() << error.what();
  }
  expect_agreement(cuda, cpu, 1e-3, kStrayCosts);
}

}  // namespace
}  // namespace aqbench::plane_sweep
