#include "harness/measuring/timing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "tests/core/error_matcher.h"

namespace aqbench {
namespace {

TEST(TimeWarmRuns, StopsByCountByPrecisionAndByCeiling) {
  TimingPlan plan;
  plan.repetitions = 7;
  int calls = 0;
  const TimedCall call{[&] { ++calls; }, [] { return std::string("same"); }};
  Timing timing;
  time_warm_runs(plan, call, "same", 1, timing);
  EXPECT_EQ(timing.warm_ms.size(), 7u);
  EXPECT_EQ(calls, 7);
  EXPECT_EQ(timing.stopped, "repetitions");
  EXPECT_EQ(timing.cpu_ms.size(), 7u);
  plan.precision = 1e-9;
  plan.max_repetitions = 40;
  timing = {};
  // Each run longer than the one before by more than the clock's step: no interval of the median closes.
  const TimedCall growing{[&] {
                            const auto end =
                                std::chrono::steady_clock::now() + std::chrono::microseconds(20 * ++calls);
                            while (std::chrono::steady_clock::now() < end) {
                            }
                          },
                          [] { return std::string("same"); }};
  time_warm_runs(plan, growing, "same", 1, timing);
  EXPECT_EQ(timing.warm_ms.size(), 40u);
  EXPECT_EQ(timing.stopped, "max_repetitions");
  EXPECT_FALSE(timing.note.empty()) << "the precision was not reached";
}

TEST(TimeWarmRuns, AnotherOutputIsInvalidAndExceptionsComeThrough) {
  TimingPlan plan;
  plan.repetitions = 3;
  int calls = 0;
  Timing timing;
  const TimedCall drifting{[&] { ++calls; }, [&] { return std::string(calls < 3 ? "same" : "other"); }};
  EXPECT_THAT(error_of(ErrorKind::method, [&] { time_warm_runs(plan, drifting, "same", 1, timing); }),
              testing::StartsWith("invalid"));
  EXPECT_THROW(time_warm_runs(plan, drifting, "same", 1, timing), InvalidOutput);
  const TimedCall failing{[] { throw Error(ErrorKind::method, "broken"); }, [] { return std::string(); }};
  EXPECT_EQ(error_of(ErrorKind::method, [&] { time_warm_runs(plan, failing, "", 1, timing); }), "broken");
}

}  // namespace
}  // namespace aqbench
