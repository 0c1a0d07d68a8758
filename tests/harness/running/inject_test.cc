#include "harness/running/measured_case.h"

#include <chrono>
#include <thread>

#include "core/processes/isolate.h"
#include "harness/measuring/stage_recorder.h"
#include "tests/harness/support.h"

namespace aqbench {
namespace {

using test::error_of;
using testing::HasSubstr;

TEST(ParseInject, SplitsAtTheLastColonAndTheLastEquals) {
  const Inject inject = parse_inject("undulating/plane_sweep:fast/seed=43:depth_estimation=+5%");
  EXPECT_EQ(inject.case_glob, "undulating/plane_sweep:fast/seed=43");
  EXPECT_EQ(inject.fault.stage, "depth_estimation");
  EXPECT_EQ(inject.fault.effect, "+5%");
  EXPECT_EQ(to_string(inject), "undulating/plane_sweep:fast/seed=43:depth_estimation=+5%");
}

TEST(ParseInject, KnowsTheEffects) {
  const FaultEffect slow = parse_fault_effect("+5%");
  EXPECT_EQ(slow.kind, FaultKind::slow_down);
  EXPECT_DOUBLE_EQ(slow.amount, 0.05);
  const FaultEffect sleep = parse_fault_effect("20ms");
  EXPECT_EQ(sleep.kind, FaultKind::sleep);
  EXPECT_DOUBLE_EQ(sleep.amount, 0.02);
  EXPECT_EQ(parse_fault_effect("oom").kind, FaultKind::out_of_memory);
}

TEST(ParseInject, WithoutAGlobEveryCaseIsMeantAndSleepsHaveUnits) {
  const Inject inject = parse_inject("b=3s");
  EXPECT_EQ(inject.case_glob, "*");
  EXPECT_EQ(inject.fault.stage, "b");
  for (const auto& [text, seconds] : {std::pair("3s", 3.0), {"3ms", 3e-3}, {"3us", 3e-6}})
    EXPECT_DOUBLE_EQ(parse_fault_effect(text).amount, seconds) << text;
}

TEST(ParseInject, RefusesTheRest) {
  for (const char* wrong :
       {"", "a", "a:b", "=throw", ":b=throw", "a:=throw", "a:b=", "a:b=explode", "a:b=+%", "a:b=-5%",
        "a:b=+0%", "a:b=ms", "a:b=0ms", "a:b=+infms", "a:b=3601s", "a:b=1e999ms", "a:b=5", "a:b=+5"})
    EXPECT_THAT(error_of(ErrorKind::usage, [&] { parse_inject(wrong); }),
                HasSubstr(std::string("'") + wrong + "'"));
}

// The stages of a run that is measured with faults, as run_case() does it.
std::vector<StageRecord> measure(const std::vector<Fault>& faults, CaseBoard& board,
                                 const std::function<void()>& run) {
  StageRecorder recorder;
  FaultInjector injector(faults, board);
  ObserverChain chain({&recorder, &injector});
  const ScopedObserver observe(chain);
  run();
  recorder.finish_repetition();
  return recorder.stages();
}

void sleep_ms(int ms) { std::this_thread::sleep_for(std::chrono::milliseconds(ms)); }

TEST(FaultInjector, ASleepCountsAsTheStagesTime) {
  CaseBoard board;
  const auto stages = measure({{"inner", "200ms"}}, board, [] {
    const StageScope outer("outer");
    const StageScope inner("inner");
  });
  EXPECT_GE(stages[1].self_ms[0], 200.0);
  EXPECT_GE(stages[0].wall_ms[0], 200.0);
  EXPECT_LT(stages[0].self_ms[0], 100.0);
  EXPECT_EQ(board.fault_count(0), 1U);
}

TEST(FaultInjector, ASlowDownIsAShareOfTheStagesTime) {
  CaseBoard board;
  double run_ms = 0;
  const auto stages = measure({{"work", "+50%"}}, board, [&] {
    for (int i = 0; i < 2; ++i) {
      const StageScope work("work");
      const auto start = std::chrono::steady_clock::now();
      sleep_ms(100);
      run_ms += std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    }
  });
  EXPECT_GE(stages[0].wall_ms[0], 1.5 * run_ms);
  EXPECT_LT(stages[0].wall_ms[0], 1.8 * run_ms + 5);
  EXPECT_EQ(board.fault_count(0), 2U);
}

TEST(FaultInjector, AStarMeansTheOutermostStages) {
  CaseBoard board;
  const auto run = [] {
    for (int i = 0; i < 2; ++i) {
      const StageScope outer("outer");
      const StageScope inner("inner");
    }
  };
  measure({{"*", "1ms"}, {"inner", "1ms"}}, board, run);
  EXPECT_EQ(board.fault_count(0), 2U);
  EXPECT_EQ(board.fault_count(1), 2U);
}

TEST(FaultInjector, ThrowsOnEntryAndClosesTheStage) {
  CaseBoard board;
  std::string message;
  const auto stages = measure({{"inner", "throw"}}, board, [&] {
    message = error_of(ErrorKind::method, [] {
      const StageScope outer("outer");
      const StageScope inner("inner");
      ADD_FAILURE() << "the stage must not run";
    });
    const StageScope after("after");
  });
  EXPECT_EQ(message, "injected failure in stage 'inner'");
  ASSERT_EQ(stages.size(), 3U);
  EXPECT_EQ(stages[1].parent, "outer");
  EXPECT_EQ(stages[2].parent, "");
}

TEST(FaultInjector, CorruptRaisesItsFlagOnlyWhenReached) {
  CaseBoard board;
  const std::vector<Fault> faults = {{"inner", "corrupt"}};
  FaultInjector injector(faults, board);
  const ScopedObserver observe(injector);
  { const StageScope outer("outer"); }
  EXPECT_FALSE(injector.corrupts_output());
  { const StageScope inner("inner"); }
  EXPECT_TRUE(injector.corrupts_output());
}

// Crashes happen in children; the board tells the parent that the fault struck.
IsolateOutcome isolated_fault(const std::string& effect, CaseBoard& board, IsolateOptions options) {
  return run_isolated(
      [&]() -> std::string {
        measure({{"work", effect}}, board, [] { const StageScope work("work"); });
        return "survived";
      },
      options);
}

TEST(FaultInjector, AbortHangAndOomEndTheProcess) {
  CaseBoard board;
  IsolateOptions options;
  options.timeout_s = 20;
  const IsolateOutcome abort = isolated_fault("abort", board, options);
  EXPECT_EQ(abort.end, IsolateOutcome::End::signalled);
  EXPECT_EQ(abort.code, SIGABRT);
  EXPECT_EQ(board.fault_count(0), 1U);
  options.timeout_s = 2;
  EXPECT_EQ(isolated_fault("hang", board, options).end, IsolateOutcome::End::timeout);
  EXPECT_EQ(board.fault_count(0), 2U);
  options.timeout_s = 20;
  options.memory_limit_bytes = std::uint64_t{512} << 20;
  const IsolateOutcome oom = isolated_fault("oom", board, options);
  EXPECT_EQ(oom.end, IsolateOutcome::End::memory_limit);
  EXPECT_EQ(board.fault_count(0), 3U);
}

TEST(CaseBoard, ShowsTheParentWhatTheChildNoted) {
  CaseBoard board;
  run_isolated(
      [&]() -> std::string {
        board.set_stage("a_stage_with_a_name_that_is_longer_than_the_sixty_four_bytes_that_there_are");
        board.count_fault(kMaxFaultsPerCase - 1);
        return "";
      },
      {});
  EXPECT_EQ(board.stage(), "a_stage_with_a_name_that_is_longer_than_the_sixty_four_bytes_th");
  EXPECT_EQ(board.fault_count(kMaxFaultsPerCase - 1), 1U);
}

}  // namespace
}  // namespace aqbench
