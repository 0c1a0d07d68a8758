#include <gtest/gtest.h>

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

TEST_P(TorchCostTest, AgreesWithReference) {
  Options options{.depths = 20, .cost = GetParam(), .batch = 8};
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
  Options options{.depths = 20, .cost = GetParam(), .batch = 1};
  const int threads = thread_count();
  set_thread_count(1);
  const Result one = run_kernel(views.input, options, Kernel::torch);
  for (const int batch : {2, 7, 64}) {
    set_thread_count(batch % 2 + 1);
    options.batch = batch;
    const Result many = run_kernel(views.input, options, Kernel::torch);
    SCOPED_TRACE(batch);
    expect_same_bits(one.volume, many.volume);
    expect_same_bits(one.depth_m, many.depth_m);
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
  const Options options{.depths = 16, .window_px = 5};
  expect_agreement(run_kernel(views.input, options, Kernel::torch),
                   run_kernel(views.input, options, Kernel::reference), 1e-3, kStrayCosts);
}

TEST(TorchKernelTest, RefusesUnavailableDevices) {
  const SyntheticViews views = small_scene(16, 12, 1);
  Options options{.depths = 3, .kernel = Kernel::torch};
  for (const char* device : {"nonsense", "mkldnn"}) {
    options.device = device;
    EXPECT_THROW(run(views.input, options), Error) << device;
  }
}

TEST(TorchKernelTest, CudaGivesTheSameAsTheCpu) {
  const SyntheticViews views = small_scene(75, 53, 3);
  Options options{.depths = 20};
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
