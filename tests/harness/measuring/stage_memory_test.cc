// Tensor memory, CPU time and foreign ranges per stage: what StageRecorder gets from LibTorch.

#include <ATen/Parallel.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <ATen/record_function.h>
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>

#include "core/parallel.h"
#include "core/resources.h"
#include "harness/measuring/libraries.h"
#include "harness/measuring/stage_recorder.h"
#include "tests/harness/measuring/stages.h"

namespace aqbench {
namespace {

using Clock = std::chrono::steady_clock;

at::Tensor floats(std::int64_t count) { return at::empty({count}, at::kFloat); }

TEST(StageMemory, NetIsWhatStaysAndPeakWhatWasThereAtOnce) {
  at::Tensor kept, inner_kept;
  const auto stages = recorded({.tensor_memory = true}, [&] {
    const StageScope outer("outer");
    kept = floats(1000);
    { const at::Tensor passing = floats(5000); }
    {
      const StageScope inner("inner");
      const at::Tensor passing = floats(3000);
      inner_kept = floats(200);
    }
    kept = floats(10);  // 1000 go as 10 come
  });
  EXPECT_EQ(stage(stages, "outer").net_bytes, 4 * (200 + 10));
  EXPECT_EQ(stage(stages, "outer").peak_bytes, 4 * (1000 + 5000));
  EXPECT_EQ(stage(stages, "inner").net_bytes, 4 * 200);
  EXPECT_EQ(stage(stages, "inner").peak_bytes, 4 * (3000 + 200));
}

TEST(StageMemory, ThePeakOfANestedStageIsThatOfTheOuterOne) {
  const auto stages = recorded({.tensor_memory = true}, [&] {
    const StageScope outer("outer");
    const at::Tensor held = floats(100);
    for (int i = 0; i < 3; ++i) {
      const StageScope inner("inner");
      const at::Tensor passing = floats(1000 * (i + 1));
    }
  });
  EXPECT_EQ(stage(stages, "inner").peak_bytes, 4 * 3000) << "the largest call";
  EXPECT_EQ(stage(stages, "inner").net_bytes, 0);
  EXPECT_EQ(stage(stages, "outer").peak_bytes, 4 * 3100);
}

TEST(StageMemory, RepeatedCallsAddUpAndRepetitionsDoNot) {
  StageRecorder recorder({.tensor_memory = true});
  const ScopedObserver observe(recorder);
  for (int repetition = 0; repetition < 2; ++repetition) {
    std::vector<at::Tensor> kept;
    for (int call = 0; call < 5; ++call) {
      const StageScope scope("work");
      kept.push_back(floats(25));
    }
    recorder.finish_repetition();
    EXPECT_EQ(recorder.tensor_bytes(), 5 * 100);
  }
  EXPECT_EQ(recorder.tensor_bytes(), 0);
  EXPECT_EQ(recorder.stages().at(0).net_bytes, 500);
  EXPECT_EQ(recorder.stages().at(0).calls, 10U);
}

TEST(StageMemory, ABlockFromBeforeIsNotCountedWhenItGoes) {
  at::Tensor before = floats(1000);
  const auto stages = recorded({.tensor_memory = true}, [&] {
    const StageScope scope("work");
    before = at::Tensor();
  });
  EXPECT_EQ(stages.at(0).net_bytes, 0);
}

TEST(StageMemory, SurvivesAnException) {
  StageRecorder recorder({.tensor_memory = true});
  const ScopedObserver observe(recorder);
  try {
    const StageScope scope("fails");
    const at::Tensor lost = floats(1000);
    throw std::runtime_error("x");
  } catch (const std::runtime_error&) {
  }
  at::Tensor kept;
  {
    const StageScope scope("works");
    kept = floats(10);
  }
  recorder.finish_repetition();
  const auto stages = recorder.stages();
  EXPECT_EQ(stage(stages, "fails").net_bytes, 0);
  EXPECT_EQ(stage(stages, "fails").peak_bytes, 4000);
  EXPECT_EQ(stage(stages, "works").net_bytes, 40);
  EXPECT_EQ(stage(stages, "works").peak_bytes, 40);
}

// LibTorch's reports are thread-local; what its pool and parallel_for allocate must not be lost.
TEST(StageMemory, CountsWhatWorkersAllocate) {
  at::set_num_threads(3);
  set_thread_count(3);
  StageRecorder recorder({.tensor_memory = true});
  std::vector<at::Tensor> kept(8);
  const ScopedObserver observe(recorder);
  {
    const StageScope scope("parallel_for");
    parallel_for(4, 1, [&](std::size_t begin, std::size_t) { kept[begin] = floats(100); });
  }
  using RunOnPool = void (*)(void (*)(void*), void*, unsigned, unsigned);
  const auto run = reinterpret_cast<RunOnPool>(::dlsym(RTLD_DEFAULT, "GOMP_parallel"));
  if (run == nullptr) GTEST_SKIP() << "this LibTorch has another thread pool";
  ASSERT_TRUE(watch_tensor_memory_of_pool());
  static std::mutex mutex;
  static std::vector<at::Tensor>* from_pool = nullptr;
  std::vector<at::Tensor> pool_kept;
  from_pool = &pool_kept;
  {
    const StageScope scope("pool");
    run(
        [](void*) {
          const at::Tensor mine = floats(50);
          const std::lock_guard lock(mutex);
          from_pool->push_back(mine);
        },
        nullptr, 3, 0);
  }
  recorder.finish_repetition();
  EXPECT_EQ(stage(recorder.stages(), "parallel_for").net_bytes, 1600);
  EXPECT_EQ(stage(recorder.stages(), "pool").net_bytes, 3 * 200);
}

TEST(StageMemory, AThreadWithStagesOfItsOwnHasItsOwnNumbers) {
  at::Tensor on_main, on_thread;
  const auto stages = recorded({.tensor_memory = true}, [&] {
    const StageScope scope("main");
    on_main = floats(1000);
    std::thread([&] {
      const StageScope work("thread");
      on_thread = floats(10);
    }).join();
  });
  EXPECT_EQ(stage(stages, "thread").net_bytes, 40);
  EXPECT_TRUE(stage(stages, "thread").other_thread);
  EXPECT_EQ(stage(stages, "main").net_bytes, 4040);
  EXPECT_FALSE(stage(stages, "main").other_thread);
}

TEST(StageTime, CpuTimeIsThatOfTheProcess) {
  StageRecorder recorder({.cpu_time = true});
  const ScopedObserver observe(recorder);
  set_thread_count(2);
  const auto busy = [](std::size_t, std::size_t) {
    timespec start{}, now{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &start);
    do ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    while ((now.tv_sec - start.tv_sec) * 1000 + (now.tv_nsec - start.tv_nsec) / 1'000'000 < 30);
  };
  {
    const StageScope scope("two");
    parallel_for(2, 1, busy);
  }
  {
    const StageScope scope("asleep");
    std::this_thread::sleep_for(std::chrono::milliseconds(150));
  }
  recorder.finish_repetition();
  EXPECT_GE(stage(recorder.stages(), "two").cpu_ms.at(0), 59);
  // LibTorch's threads, which tests before this one have started, spin for some milliseconds.
  EXPECT_LT(stage(recorder.stages(), "asleep").cpu_ms.at(0), 75);
  EXPECT_GE(stage(recorder.stages(), "asleep").wall_ms.at(0), 150);
}

TEST(StageMemory, ResidentPeakGrowsWithWhatIsTouched) {
  if (!reset_resident_peak()) GTEST_SKIP() << "this kernel does not reset the peak";
  StageRecorder recorder({.resident_peak = true});
  const ScopedObserver observe(recorder);
  {
    const StageScope outer("outer");
    const StageScope inner("inner");
    const std::vector<char> touched(std::size_t{64} << 20, 'x');
    ASSERT_EQ(touched.back(), 'x');
  }
  recorder.finish_repetition();
  for (const StageRecord& record : recorder.stages()) {
    EXPECT_GE(record.resident_peak_bytes.value_or(0), std::int64_t{62} << 20) << record.name;
    EXPECT_LE(record.resident_peak_bytes.value_or(0), std::int64_t{80} << 20) << record.name;
  }
}

TEST(UserScopes, RangesOfOtherLibTorchCodeAreStages) {
  StageRecorder recorder({.tensor_memory = true});
  const ScopedObserver observe(recorder);
  const UserScopeBridge bridge;
  at::Tensor kept;
  {
    const StageScope outer("outer");
    RECORD_USER_SCOPE("foreign");
    kept = floats(10);
    const StageScope inner("inner");
  }
  recorder.finish_repetition();
  const auto stages = recorder.stages();
  ASSERT_EQ(stages.size(), 3U);
  EXPECT_EQ(stage(stages, "foreign").parent, "outer");
  EXPECT_EQ(stage(stages, "foreign").net_bytes, 40);
  EXPECT_EQ(stage(stages, "inner").parent, "foreign");
}

TEST(UserScopes, WithoutABridgeThereAreNone) {
  StageRecorder recorder;
  const ScopedObserver observe(recorder);
  { const UserScopeBridge bridge; }
  { RECORD_USER_SCOPE("foreign"); }
  EXPECT_TRUE(recorder.stages().empty());
}

#ifdef __SANITIZE_ADDRESS__
constexpr std::uint64_t kResidentSlackMib = 300;  // what was freed waits in a quarantine of 256 MiB
#else
constexpr std::uint64_t kResidentSlackMib = 4;
#endif

// Memory, not time: a million scopes with tensors, and a million different names.
TEST(StageRecorderMemory, IsBoundedForAMillionScopes) {
  StageRecorder recorder({.cpu_time = true, .tensor_memory = true});
  const ScopedObserver observe(recorder);
  const auto run = [&](int scopes) {
    for (int i = 0; i < scopes; ++i) {
      const StageScope scope(i % 2 == 0 ? "even" : "odd");
      if (i % 100 == 0) floats(16);
    }
  };
  run(1000);
  const auto before = resident_bytes(::getpid());
  run(1'000'000);
  for (int i = 0; i < 100'000; ++i) {
    const std::string name = "step " + std::to_string(i);
    const StageScope scope(name.c_str());
  }
  const auto after = resident_bytes(::getpid());
  EXPECT_LT(after, before + (kResidentSlackMib << 20));
  EXPECT_LE(recorder.stages().size(), kMaxStages + 1);
  EXPECT_GT(stage(recorder.stages(), kOtherStages).calls, 99'000U);
}

}  // namespace
}  // namespace aqbench
