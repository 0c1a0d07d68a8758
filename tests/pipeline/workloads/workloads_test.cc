#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "core/stage_scope.h"
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

TEST(Workloads, EveryOneThatBatchesIsCountedAbove) {
  for (const WorkloadSpec& spec : workload_registry()) {
    const bool counted = std::ranges::any_of(
        kBatchedCases, [&](const BatchedCase& batched) { return batched.workload == spec.name; });
    EXPECT_EQ(spec.batches, counted) << spec.name;
  }
}

}  // namespace
}  // namespace aqbench
