#include "core/stopwatch.h"

#include <gtest/gtest.h>

#include <thread>

namespace aqbench {
namespace {

TEST(Stopwatch, CountsInTheUnitOfItsName) {
  const auto start = SteadyClock::now() - std::chrono::seconds(2);
  EXPECT_NEAR(seconds_since(start), 2, 0.5);
  EXPECT_NEAR(ms_since(start), 2000, 500);
}

TEST(RunClock, SeparatesRealTimeFromProcessorTime) {
  const RunClock clock;
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  const RunTimes times = clock.elapsed();
  EXPECT_GE(times.real_s, 0.03);
  EXPECT_GE(times.user_s, 0);
  EXPECT_LT(times.user_s, times.real_s + 1);
  EXPECT_EQ(times_block({1.2344, 0.9, 0.11}), "real 1.234 s\nuser 0.900 s\nsys 0.110 s\n");
}

}  // namespace
}  // namespace aqbench
