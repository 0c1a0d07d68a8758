#include "harness/measuring/stage_recorder.h"

#include <sys/resource.h>

#include <chrono>
#include <stdexcept>
#include <thread>

#include "core/resources.h"
#include "core/stage_scope.h"
#include "tests/harness/measuring/stages.h"

namespace aqbench {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::SizeIs;
using Clock = std::chrono::steady_clock;

void busy_ms(double ms) {
  const auto end = Clock::now() + std::chrono::duration<double, std::milli>(ms);
  while (Clock::now() < end) {
  }
}

TEST(StageRecorder, SelfTimesAddUpToTheWallTime) {
  StageRecorder recorder;
  const ScopedObserver observe(recorder);
  const auto start = Clock::now();
  {
    const StageScope pipeline("pipeline");
    busy_ms(5);
    for (int i = 0; i < 3; ++i) {
      const StageScope depth("depth_estimation");
      busy_ms(10);
      const StageScope extract("extract_depth");
      busy_ms(5);
    }
    const StageScope fusion("fusion");
    busy_ms(10);
  }
  const double wall_ms = std::chrono::duration<double, std::milli>(Clock::now() - start).count();
  recorder.finish_repetition();
  const auto stages = recorder.stages();
  std::vector<std::string> names;
  double self_ms = 0;
  for (const StageRecord& record : stages) {
    names.push_back(record.parent + ">" + record.name);
    ASSERT_THAT(record.wall_ms, SizeIs(1));
    self_ms += record.self_ms[0];
  }
  EXPECT_THAT(names, ElementsAre(">pipeline", "pipeline>depth_estimation", "depth_estimation>extract_depth",
                                 "pipeline>fusion"));
  EXPECT_THAT(self_ms, DoubleNear(wall_ms, 0.02 * wall_ms));
  EXPECT_EQ(stages[1].calls, 3U);
  EXPECT_GE(stages[1].wall_ms[0], 45.0);
  EXPECT_GE(stages[1].self_ms[0], 30.0);
  EXPECT_DOUBLE_EQ(stages[1].wall_ms[0] - stages[1].self_ms[0], stages[2].wall_ms[0]);
  EXPECT_THAT(stages[0].wall_ms[0],
              DoubleNear(stages[0].self_ms[0] + stages[1].wall_ms[0] + stages[3].wall_ms[0], 1e-9));
}

TEST(StageRecorder, OneSamplePerRepetitionAndZeroWhereAStageDidNotRun) {
  StageRecorder recorder;
  const ScopedObserver observe(recorder);
  for (int repetition = 0; repetition < 3; ++repetition) {
    const StageScope always("always");
    if (repetition == 1) const StageScope once("once");
    recorder.finish_repetition();
  }
  // `always` was open when its repetition was finished, so its time belongs to the next one.
  const auto stages = recorder.stages();
  EXPECT_THAT(stage(stages, "always", "").wall_ms, SizeIs(3));
  const auto& once = stage(stages, "once", "always");
  EXPECT_EQ(once.wall_ms[0], 0);
  EXPECT_GT(once.wall_ms[1], 0);
  EXPECT_EQ(once.wall_ms[2], 0);
}

TEST(StageRecorder, SurvivesExceptions) {
  StageRecorder recorder;
  const ScopedObserver observe(recorder);
  for (int i = 0; i < 2; ++i) {
    try {
      const StageScope outer("outer");
      const StageScope inner("inner");
      throw std::runtime_error("x");
    } catch (const std::runtime_error&) {
    }
  }
  { const StageScope outer("outer"); }
  recorder.finish_repetition();
  const auto stages = recorder.stages();
  ASSERT_THAT(stages, SizeIs(2)) << "after an exception the next stage has no stale parent";
  EXPECT_EQ(stage(stages, "outer", "").calls, 3U);
  EXPECT_EQ(stage(stages, "inner", "outer").calls, 2U);
}

TEST(StageRecorder, CountsAStageWithinItselfOnce) {
  const auto stages = recorded({}, [&] {
    const StageScope a("a");
    const StageScope b("a");
    const StageScope c("a");
    const StageScope d("a");
    busy_ms(20);
  });
  ASSERT_THAT(stages, SizeIs(2));
  EXPECT_LT(stage(stages, "a", "a").wall_ms[0], 2 * stage(stages, "a", "").wall_ms[0]);
  EXPECT_EQ(stage(stages, "a", "a").calls, 3U);
}

TEST(StageRecorder, NestsPerThread) {
  const auto stages = recorded({}, [&] {
    const StageScope outer("outer");
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
      threads.emplace_back([] {
        for (int i = 0; i < 1000; ++i) {
          const StageScope work("work");
          const StageScope part("part");
        }
      });
    for (std::thread& thread : threads) thread.join();
  });
  ASSERT_THAT(stages, SizeIs(3));
  EXPECT_EQ(stage(stages, "work", "").calls, 4000U);
  EXPECT_EQ(stage(stages, "part", "work").calls, 4000U);
  EXPECT_EQ(stage(stages, "outer", "").calls, 1U);
}

TEST(StageRecorder, TakesAMillionScopesInBoundedMemory) {
  StageRecorder recorder;
  const ScopedObserver observe(recorder);
  const auto some = [](int count) {
    for (int i = 0; i < count; ++i) {
      const StageScope outer("outer");
      const StageScope inner("inner");
    }
  };
  some(1000);
  const std::uint64_t before = resident_bytes(::getpid());
  some(500000);
  EXPECT_LT(resident_bytes(::getpid()), before + (std::uint64_t{1} << 20));
  recorder.finish_repetition();
  EXPECT_EQ(recorder.stages()[0].calls, 501000U);
}

// Notes what it sees; may refuse to be entered.
class Witness final : public StageObserver {
 public:
  Witness(std::string name, std::vector<std::string>& log, bool throws = false)
      : name_(std::move(name)), log_(log), throws_(throws) {}
  void enter(const char* stage) override {
    if (throws_) throw std::runtime_error("refused");
    log_.push_back(name_ + "+" + stage);
  }
  void leave(const char* stage) noexcept override { log_.push_back(name_ + "-" + stage); }

 private:
  std::string name_;
  std::vector<std::string>& log_;
  bool throws_;
};

TEST(ObserverChain, EntersInOrderAndLeavesInReverse) {
  std::vector<std::string> log;
  Witness a("a", log), b("b", log);
  ObserverChain chain({&a, &b});
  const ScopedObserver observe(chain);
  { const StageScope scope("s"); }
  EXPECT_THAT(log, ElementsAre("a+s", "b+s", "b-s", "a-s"));
}

TEST(ObserverChain, ClosesWhatItOpenedWhenOneThrows) {
  std::vector<std::string> log;
  Witness a("a", log), b("b", log), c("c", log, true);
  ObserverChain chain({&a, &b, &c});
  const ScopedObserver observe(chain);
  EXPECT_THROW(const StageScope scope("s"), std::runtime_error);
  EXPECT_THAT(log, ElementsAre("a+s", "b+s", "b-s", "a-s"));
}

// The process itself grows by nothing while it waits for a program.
TEST(StageRecorder, AProgramsMemoryIsThatOfTheStagesAroundIt) {
  constexpr std::uint64_t kProgram = std::uint64_t{300} << 20;
  const auto run = [](const std::optional<ProgramUse>& use) {
    StageRecorder recorder({.resident_peak = true});
    const ScopedObserver observe(recorder);
    {
      const StageScope pipeline("pipeline");
      { const StageScope command("external_command"); }
      report_program({.stage = "external_command", .stages = {}, .use = use});
      const StageScope after("after");
    }
    recorder.finish_repetition();
    return recorder.stages();
  };
  ProgramUse use;
  use.peak_resident_bytes = kProgram;
  const auto reported = run(use);
  EXPECT_EQ(stage(reported, "external_command", "pipeline").resident_peak_bytes, std::int64_t{kProgram});
  EXPECT_GE(stage(reported, "pipeline", "").resident_peak_bytes.value_or(0), std::int64_t{kProgram});
  EXPECT_LT(stage(reported, "after", "pipeline").resident_peak_bytes.value_or(-1),
            std::int64_t{kProgram} / 2);
  for (const auto& untold : {run(std::nullopt), run(ProgramUse{})}) {
    EXPECT_FALSE(stage(untold, "external_command", "pipeline").resident_peak_bytes);
    EXPECT_FALSE(stage(untold, "pipeline", "").resident_peak_bytes);
    EXPECT_TRUE(stage(untold, "after", "pipeline").resident_peak_bytes);
  }
}

}  // namespace
}  // namespace aqbench
