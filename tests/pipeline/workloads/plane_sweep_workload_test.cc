#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/pipeline/workloads/run_workload.h"

namespace aqbench {
namespace {

TEST(PlaneSweepWorkload, EveryKernelFindsThePlane) {
  for (const char* kernel : {"fused", "torch"}) {
    const auto run = test::prepared(
        "plane_sweep", {{"kernel", kernel}, {"width", "160"}, {"height", "120"}, {"depths", "32"}});
    run->run_once();
    EXPECT_THAT(test::broken_identities(*run), testing::IsEmpty()) << kernel;
    run->corrupt_output();
    EXPECT_THAT(test::broken_identities(*run), testing::Not(testing::IsEmpty())) << kernel;
  }
}

TEST(PlaneSweepWorkload, TheBatchChangesNoBit) {
  std::string first;
  for (const char* batch : {"1", "5", "16"}) {
    const auto run = test::prepared("plane_sweep", {{"kernel", "torch"},
                                                    {"batch", batch},
                                                    {"width", "64"},
                                                    {"height", "48"},
                                                    {"depths", "16"},
                                                    {"sources", "2"}});
    run->run_once();
    if (first.empty()) first = run->output_sha256();
    EXPECT_EQ(run->output_sha256(), first) << batch;
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
