#include "harness/measuring/timing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "harness/measuring/roofline.h"
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

constexpr double kFlops = 8e9, kBytes = 1e9;
const Roofline kRoof{.flops_per_s = 100e9, .bytes_per_s = 10e9};

double named(const Figures& figures, std::string_view name) {
  for (const auto& [known, value] : figures)
    if (known == name) return value;
  ADD_FAILURE() << "no figure " << name;
  return 0;
}

TEST(Roofline, ShareIsOfArithmeticOrMemoryWhicheverTakesLonger) {
  Figures figures;
  add_roofline(kRoof, kFlops, kBytes, true, 400, figures);
  EXPECT_DOUBLE_EQ(named(figures, "gflops"), 20);
  EXPECT_DOUBLE_EQ(named(figures, "roofline_share"), 0.25);  // memory: 0.1 s, arithmetic: 0.08 s
  Figures in_double;
  add_roofline(kRoof, kFlops, kBytes, false, 400, in_double);
  EXPECT_DOUBLE_EQ(named(in_double, "roofline_share"), 0.4);  // arithmetic: 0.16 s
}

TEST(Roofline, MeasuredRoofIsOfAProcessorNotOfNothing) {
  const Roofline roof = measure_roofline(1);
  EXPECT_GT(roof.flops_per_s, 1e8);
  EXPECT_GT(roof.bytes_per_s, 1e7);
}

}  // namespace

}  // namespace aqbench
