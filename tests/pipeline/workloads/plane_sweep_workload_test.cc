#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "pipeline/plane_sweep/kernels/plane_sweep.h"
#include "pipeline/plane_sweep/kernels/synthetic_scene.h"
#include "pipeline/workloads/plane_sweep_workload.h"
#include "tests/pipeline/workloads/run_workload.h"

namespace aqbench {
namespace {

TEST(PlaneSweepWorkload, EveryKernelFindsThePlane) {
  for (const char* kernel : {"fused", "torch"}) {
    const auto run = test::prepared(
        "plane_sweep",
        {{"kernel", kernel}, {"width", "160"}, {"height", "120"}, {"depths", "32"}, {"sources", "2"}});
    run->run_once();
    EXPECT_THAT(test::broken_identities(*run), testing::IsEmpty()) << kernel;
    run->corrupt_output();
    EXPECT_THAT(test::broken_identities(*run), testing::ElementsAre("unlike_reference_share"))
        << kernel << ": one pixel in a hundred half a step off moves no median";
  }
}

// What is planted into the result of a kernel.
struct Planted {
  const char* what;
  void (*plant)(plane_sweep::Result& result);
};

// Calls plant for one pixel in a hundred, as a block or scattered.
template <class Plant>
void plant_scattered(plane_sweep::Result& result, Plant plant) {
  for (std::size_t i = 13; i < result.depth_m.size(); i += 100) plant(i);
}

TEST(PlaneSweepProof, FindsOneWrongPixelInAHundredWholeOrInSquares) {
  const Planted kPlanted[] = {
      {"scattered, half a step",
       [](plane_sweep::Result& result) {
         plant_scattered(result, [&](std::size_t i) { result.depth_m[i] += 0.5F * 0.1F / 15; });
       }},
      {"scattered, no depth",
       [](plane_sweep::Result& result) {
         plant_scattered(result, [&](std::size_t i) { result.depth_m[i] = std::nanf(""); });
       }},
      {"scattered, too sure",
       [](plane_sweep::Result& result) {
         plant_scattered(result, [&](std::size_t i) { result.confidence[i] += 0.2F; });
       }},
      {"a block", [](plane_sweep::Result& result) {
         const auto side = static_cast<std::size_t>(
             std::max(76.0, std::ceil(std::sqrt(0.01 * static_cast<double>(result.depth_m.size())))));
         for (std::size_t y = 20; y < std::min<std::size_t>(20 + side, result.height_px); ++y)
           for (std::size_t x = 30; x < 30 + side; ++x) result.depth_m[y * result.width_px + x] += 0.02F;
       }}};
  for (const int width_px : {128, 416}) {  // the whole image, and squares
    const plane_sweep::SyntheticViews views = plane_sweep::render_synthetic(
        {.width_px = width_px, .height_px = 3 * width_px / 4, .sources = 2, .noise = 0.005}, 0.17, 0.27);
    const plane_sweep::Options options{.depths = 24, .window_px = 7};
    const plane_sweep::Result good = plane_sweep::run(views.input, options);
    const PixelProof proof = compare_with_reference(views.input, options, good);
    if (width_px == 128)
      EXPECT_EQ(proof.compared, good.depth_m.size());
    else
      EXPECT_EQ(proof.compared, 7u * 5u * 144u) << "squares of 12 x 12 px, 64 px apart";
    EXPECT_LT(proof.unlike_share(), 0.003) << width_px;
    for (const Planted& planted : kPlanted) {
      plane_sweep::Result wrong = good;
      planted.plant(wrong);
      EXPECT_GT(compare_with_reference(views.input, options, wrong).unlike_share(), 0.005)
          << planted.what << ", width " << width_px;
    }
    plane_sweep::Result cut = good;
    cut.confidence.pop_back();
    EXPECT_TRUE(std::isnan(compare_with_reference(views.input, options, cut).unlike_share()));
  }
}

TEST(PlaneSweepProof, ASquareIsSweptAsInTheWholeImage) {
  const auto views = plane_sweep::render_synthetic(
      {.width_px = 320, .height_px = 240, .sources = 2, .amplitude_m = 0.005, .noise = 0.005}, 0.15, 0.3);
  plane_sweep::Options options{.depths = 40, .kernel = plane_sweep::Kernel::reference};
  for (const auto cost : {plane_sweep::CostFunction::zncc, plane_sweep::CostFunction::ssim}) {
    options.cost = cost;
    const PixelProof proof =
        compare_with_reference(views.input, options, plane_sweep::run(views.input, options));
    EXPECT_EQ(proof.compared, 5u * 4u * 144u);
    EXPECT_LT(proof.unlike_share(), 0.003) << "rays of moved pixels may differ in the last bit";
  }
}

TEST(PlaneSweepWorkload, AWrongWindowIsNamed) {
  try {
    test::prepared("plane_sweep", {{"window", "10"}});
    FAIL();
  } catch (const std::exception& error) {
    EXPECT_THAT(error.what(), testing::StartsWith("plane_sweep.window"));
  }
}

}  // namespace
}  // namespace aqbench
