#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "core/stage_scope.h"
#include "pipeline/workloads/numeric.h"
#include "tests/core/on_threads.h"
#include "tests/pipeline/workloads/run_workload.h"

namespace aqbench {
namespace {

using Given = std::vector<std::pair<std::string, std::string>>;

// Counts scopes of one name: what the kernel itself opens, whatever the workload says of its calls.
class ScopeCounter final : public StageObserver {
 public:
  explicit ScopeCounter(std::string stage) : stage_(std::move(stage)) { set_stage_observer(this); }
  ~ScopeCounter() override { set_stage_observer(nullptr); }
  ScopeCounter(const ScopeCounter&) = delete;
  ScopeCounter& operator=(const ScopeCounter&) = delete;
  void enter(const char* stage) override { count_ += stage == stage_; }
  void leave(const char*) noexcept override {}
  int count() const { return count_; }

 private:
  std::string stage_;
  int count_ = 0;
};

// A small case of a workload that batches, how many things it batches, and what its kernel opens in a call.
struct BatchedCase {
  const char* workload;
  Given given;
  int items;
  const char* scope;
  int scopes_per_call;
};

const BatchedCase kBatchedCases[] = {
    {"tricubic", {{"variant", "fused"}, {"size", "48"}}, 48, "tricubic", 0},
    {"tricubic", {{"variant", "torch"}, {"size", "48"}}, 48, "tricubic", 0},
    {"plane_sweep",
     {{"kernel", "torch"}, {"width", "48"}, {"height", "32"}, {"depths", "17"}, {"sources", "2"}},
     17,
     "grid_sample_warp",
     2},
    {"equirect_views",
     {{"variant", "fused"}, {"width", "64"}, {"view", "8"}, {"frames", "17"}},
     17,
     "sample",
     1},
    {"equirect_views",
     {{"variant", "torch"}, {"width", "64"}, {"view", "8"}, {"frames", "17"}},
     17,
     "sample",
     1},
    {"equirect_pipeline", {{"width", "64"}, {"view", "8"}, {"frames", "9"}}, 9, "sample", 1}};

TEST(Workloads, TheBatchIsWhatOneCallOfTheKernelTakes) {
  for (const BatchedCase& batched : kBatchedCases)
    for (const int batch : {1, 2, 8, 16}) {
      Given given = batched.given;
      given.emplace_back("batch", std::to_string(batch));
      const auto run = test::prepared(batched.workload, given);
      const ScopeCounter scopes(batched.scope);
      run->run_once();
      const int calls = (batched.items + batch - 1) / batch;
      EXPECT_EQ(test::kernel_calls(*run), calls) << batched.workload << " " << batch;
      if (batched.scopes_per_call > 0) {
        EXPECT_EQ(scopes.count(), calls * batched.scopes_per_call) << batched.workload << " " << batch;
      }
      run->run_once();
      EXPECT_EQ(test::kernel_calls(*run), calls) << "of the last run alone";
    }
}

TEST(Workloads, TheBatchChangesNoBit) {
  for (const auto& [workload, given] : std::vector<std::pair<const char*, Given>>{
           {"tricubic", {{"variant", "torch"}, {"size", "32"}}},
           {"tricubic", {{"variant", "fused"}, {"size", "32"}}},
           {"plane_sweep",
            {{"kernel", "torch"}, {"width", "64"}, {"height", "48"}, {"depths", "16"}, {"sources", "2"}}}}) {
    std::string first;
    for (const char* batch : {"1", "5", "7", "16", "64"}) {
      Given more = given;
      more.emplace_back("batch", batch);
      const auto run = test::prepared(workload, more);
      run->run_once();
      if (first.empty()) first = run->output_sha256();
      EXPECT_EQ(run->output_sha256(), first) << workload << " " << batch;
    }
  }
}

TEST(Workloads, DamageShowsInTheIdentities) {
  for (const auto& [workload, given] : std::vector<std::pair<const char*, Given>>{
           {"absorption", {{"size", "64"}}},
           {"tricubic", {{"size", "16"}}},
           {"equirect_pipeline", {{"width", "256"}, {"view", "32"}, {"frames", "5"}, {"batch", "2"}}}}) {
    const auto run = test::prepared(workload, given);
    run->run_once();
    const std::string before = run->output_sha256();
    run->corrupt_output();
    EXPECT_NE(run->output_sha256(), before) << workload;
    EXPECT_THAT(test::broken_identities(*run), testing::Not(testing::IsEmpty())) << workload;
  }
}

TEST(Workloads, EveryOneThatBatchesIsCountedAbove) {
  for (const WorkloadSpec& spec : workload_registry()) {
    const bool counted = std::ranges::any_of(
        kBatchedCases, [&](const BatchedCase& batched) { return batched.workload == spec.name; });
    EXPECT_EQ(spec.batches, counted) << spec.name;
  }
}

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
  for (const char* variant : {"torch", "fused"})
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
  const auto [one, three] = on_threads<1, 3>([&] { return absorption_fused(problem); });
  EXPECT_EQ(three, one);
}

TEST(Tricubic, EveryVariantGivesThePolynomial) {
  for (const char* variant : {"torch", "fused"})
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
  for (const auto& factors :
       {tricubic_torch(grid, queries, 5, "cpu").values, tricubic_fused(grid, queries, 5).values}) {
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
  on_threads<2>([&] {
    for (const auto& [batch, calls] : {std::pair(1, 10000), {128, 79}, {4096, 3}, {10000, 1}, {1 << 30, 1}}) {
      EXPECT_EQ(tricubic_fused(grid, queries, batch).kernel_calls, calls) << batch;
      if (batch == 1) continue;
      EXPECT_EQ(tricubic_torch(grid, queries, batch, "cpu").kernel_calls, calls) << batch;
    }
    return 0;
  });
}

}  // namespace

}  // namespace aqbench
