#include "pipeline/workloads/absorption.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "core/parallel.h"
#include "tests/pipeline/workloads/run_workload.h"

namespace aqbench {
namespace {

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

TEST(Absorption, FusedMeansAreThePublishedOnes) {
  AbsorptionProblem problem;
  EXPECT_NEAR(mean_of(absorption_fused(problem)), 0.598200, 5e-7);
  problem.size_px = 512;
  const std::vector<double> image = absorption_fused(problem);
  EXPECT_NEAR(mean_of(image), 0.172833, 5e-7);
  EXPECT_NEAR(*std::ranges::max_element(image), 28.03374, 5e-6);
}

TEST(Absorption, EveryVariantMeetsTheClosedForm) {
  for (const char* variant : {"loop", "torch", "fused"})
    for (const char* layers : {"1", "5", "40"}) {
      const auto run =
          test::prepared("absorption", {{"variant", variant}, {"size", "37"}, {"layers", layers}});
      run->run_once();
      EXPECT_THAT(test::broken_identities(*run), testing::IsEmpty()) << variant << " " << layers;
    }
}

TEST(Absorption, ThickDetectorsAbsorbAll) {
  const AbsorptionProblem thick{16, 3, 0.5, 1e-6};
  const AbsorptionProblem thin{16, 3, 1e-7, 1.0};
  const auto absorbed = absorption_fused(thick), passed = absorption_fused(thin);
  for (std::size_t i = 0; i < absorbed.size(); ++i) {
    EXPECT_NEAR(absorbed[i], absorption_oracle(thick, static_cast<int>(i) / 16, static_cast<int>(i) % 16),
                1e-9 * absorbed[i] + 1e-15);
    EXPECT_LT(passed[i], 2e-7 * absorbed[i] + 1e-15);
  }
}

TEST(Absorption, FusedBytesDoNotDependOnTheThreads) {
  AbsorptionProblem problem;
  problem.size_px = 300;
  set_thread_count(1);
  const auto one = absorption_fused(problem);
  set_thread_count(3);
  EXPECT_EQ(absorption_fused(problem), one);
  set_thread_count(available_processors());
}

TEST(Absorption, DamageShowsInTheIdentities) {
  const auto run = test::prepared("absorption", {{"size", "64"}});
  run->run_once();
  const std::string before = run->output_sha256();
  run->corrupt_output();
  EXPECT_NE(run->output_sha256(), before);
  EXPECT_THAT(test::broken_identities(*run), testing::Not(testing::IsEmpty()));
}

}  // namespace
}  // namespace aqbench
