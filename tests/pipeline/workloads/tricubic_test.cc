#include "pipeline/workloads/tricubic.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/parallel.h"
#include "tests/pipeline/workloads/run_workload.h"

namespace aqbench {
namespace {

TEST(Tricubic, EveryVariantGivesThePolynomial) {
  for (const char* variant : {"loop", "torch", "fused"})
    for (const char* outside : {"0", "0.3", "1"}) {
      const auto run =
          test::prepared("tricubic", {{"variant", variant}, {"size", "40"}, {"outside_share", outside}});
      run->run_once();
      EXPECT_THAT(test::broken_identities(*run), testing::IsEmpty()) << variant << " " << outside;
    }
}

TEST(Tricubic, AQueryWithoutNeighboursFallsBackAlone) {
  const auto grid = structure_factor_grid();
  const TricubicQueries queries{
      {0.25, 3.2, 9.0, -3.0, -3.001}, {0.5, 0.4, 0.0, 2.999, 0.0}, {-0.75, 0, 0, 0, 0}};
  for (const auto& factors : {tricubic_loop(grid, queries), tricubic_torch(grid, queries, 5, "cpu").values,
                              tricubic_fused(grid, queries, 5).values}) {
    EXPECT_NEAR(factors[0], structure_factor(0.25, 0.5, -0.75), 1e-11) << "its neighbours are all there";
    EXPECT_NEAR(factors[1], structure_factor(3, 0, 0), 1e-11) << "the grid point next to it";
    EXPECT_EQ(factors[2], kFactorOutside);
    EXPECT_NEAR(factors[3], structure_factor(-3, 2.999, 0), 1e-11) << "just inside";
    EXPECT_NEAR(factors[4], structure_factor(-3, 0, 0), 1e-11) << "just outside";
  }
}

TEST(Tricubic, EveryBatchIsACallOfTheKernel) {
  const auto grid = structure_factor_grid();
  const TricubicQueries queries = make_queries(1, 10000, 0.01);
  set_thread_count(2);
  for (const auto& [batch, calls] :
       {std::pair(1, 10000), {128, 79}, {4096, 3}, {10000, 1}, {1 << 30, 1}}) {
    EXPECT_EQ(tricubic_fused(grid, queries, batch).kernel_calls, calls) << batch;
    if (batch == 1) continue;
    EXPECT_EQ(tricubic_torch(grid, queries, batch, "cpu").kernel_calls, calls) << batch;
  }
  set_thread_count(available_processors());
}

TEST(Tricubic, TheBatchChangesNoBit) {
  for (const char* variant : {"torch", "fused"}) {
    std::string first;
    for (const char* batch : {"1", "7", "64"}) {
      const auto run = test::prepared("tricubic", {{"variant", variant}, {"size", "32"}, {"batch", batch}});
      run->run_once();
      if (first.empty()) first = run->output_sha256();
      EXPECT_EQ(run->output_sha256(), first) << variant << " " << batch;
    }
  }
}

TEST(Tricubic, DamageShowsInTheIdentities) {
  const auto run = test::prepared("tricubic", {{"size", "16"}});
  run->run_once();
  run->corrupt_output();
  EXPECT_THAT(test::broken_identities(*run), testing::Not(testing::IsEmpty()));
}

}  // namespace
}  // namespace aqbench
