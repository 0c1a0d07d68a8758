#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/files.h"
#include "harness/records/case_result.h"
#include "harness/running/progress.h"
#include "harness/running/time_left.h"
#include "tests/harness/support.h"

namespace aqbench {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(ClockText, CountsMinutesAndHours) {
  EXPECT_EQ(clock_text(0), "0:00");
  EXPECT_EQ(clock_text(7.4), "0:07");
  EXPECT_EQ(clock_text(59.9), "1:00");
  EXPECT_EQ(clock_text(3700), "1:01:40");
}

TEST(ProgressText, SaysWhereWeAreAndFitsTheTerminal) {
  SweepProgress progress{.index = 4, .total = 12, .failed = 1, .elapsed_s = 7, .eta_s = 21};
  EXPECT_EQ(progress_text(progress, "undulating/roma_like/seed=43", 100),
            "[4/12] 25 % 0:07, 0:21 left, 1 failed  undulating/roma_like/seed=43");
  progress.doing = "warm 3 of 10: fusion";
  EXPECT_EQ(progress_text(progress, "a", 100),
            "[4/12] 25 % 0:07, 0:21 left, 1 failed, warm 3 of 10: fusion  a");
  progress.doing.clear();
  progress.eta_s = std::nullopt;
  progress.failed = 0;
  EXPECT_EQ(progress_text(progress, "a", 100), "[4/12] 25 % 0:07  a");
  for (int columns = 20; columns < 100; ++columns)
    EXPECT_LE(progress_text(progress, std::string(200, 'x'), columns).size(),
              static_cast<std::size_t>(columns));
}

// What a display writes for one case that runs well and one that fails.
std::string shown(bool live, bool colours) {
  const test::TemporaryFolder folder;
  const auto file = folder.path() / "out";
  const int descriptor = ::open(file.c_str(), O_WRONLY | O_CREAT, 0644);
  {
    SweepDisplay display({.live = live, .colours = colours, .columns = 80, .descriptor = descriptor});
    const SweepCallbacks callbacks = display.callbacks();
    const SweepPlan plan = test::small_plan(2);
    for (const Case& planned : plan.cases) {
      Record record = test::quick_result(planned).record;
      if (planned.seed == 43) {
        record.status = Status::crashed;
        record.reason = "died";
      }
      if (callbacks.started) callbacks.started({.index = 1, .total = 2}, planned);
      if (callbacks.tick) callbacks.tick({.index = 1, .total = 2}, planned);
      callbacks.finished({.index = 1, .total = 2}, record);
    }
  }
  ::close(descriptor);
  return read_file(file);
}

TEST(SweepDisplay, InAPipeSaysOnlyWhatFailed) {
  EXPECT_EQ(shown(false, false), "crashed flat_plane/roma_like/seed=43: died\n");
}

TEST(SweepDisplay, InALogSaysALineAMinute) {
  const test::TemporaryFolder folder;
  const auto file = folder.path() / "out";
  const int descriptor = ::open(file.c_str(), O_WRONLY | O_CREAT, 0644);
  {
    SweepDisplay display({.live = false, .colours = false, .columns = 80, .descriptor = descriptor});
    const SweepCallbacks callbacks = display.callbacks();
    const SweepPlan plan = test::small_plan(1);
    for (int second = 0; second < 150; ++second)
      callbacks.tick({.index = 1, .total = 1, .elapsed_s = second + 0.5, .doing = "cold"}, plan.cases[0]);
  }
  ::close(descriptor);
  const std::string text = read_file(file);
  EXPECT_EQ(std::ranges::count(text, '\n'), 2);
  EXPECT_THAT(text, HasSubstr("0 % 1:01, cold  flat_plane/"));
}

TEST(SweepDisplay, OnATerminalRewritesItsLineAndRemovesIt) {
  const std::string text = shown(true, false);
  EXPECT_THAT(text, HasSubstr("\r\x1b[K[1/2]"));
  EXPECT_THAT(text, HasSubstr("\r\x1b[Kcrashed flat_plane/roma_like/seed=43: died\n"));
  EXPECT_THAT(text, Not(HasSubstr("\x1b[31m"))) << "NO_COLOR";
  EXPECT_THAT(shown(true, true), HasSubstr("\x1b[31mcrashed\x1b[0m"));
  EXPECT_EQ(text.back(), '\n') << "no live line stays behind";
}

TEST(SweepDisplay, StderrInAPipeIsNotLive) {
  if (::isatty(STDERR_FILENO) == 1) GTEST_SKIP() << "stderr is a terminal";
  const auto options = SweepDisplay::options_for_stderr();
  EXPECT_FALSE(options.live);
  EXPECT_FALSE(options.colours);
}

Case planned(const std::string& name, const std::string& scene, const std::string& method, int width_px = 0) {
  Case one;
  one.name = name;
  one.scene = scene;
  one.method = method;
  if (width_px > 0) {
    one.images = CaseImages{};
    one.images->width_px = width_px;
  }
  return one;
}

TEST(TimeLeft, IsUnknownBeforeTheFirstEnd) {
  const Case a = planned("s/m/seed=1", "s", "m");
  TimeLeft time;
  time.begin(a, 0);
  EXPECT_EQ(time.seconds(std::vector<const Case*>{&a}, 5), std::nullopt);
}

// One slow method of two: an even share of all cases would say 11 s for each.
TEST(TimeLeft, TakesEachMethodAsItsEarlierCases) {
  const Case quick = planned("a/quick/seed=1", "a", "quick"), slow = planned("a/slow/seed=1", "a", "slow"),
             next_quick = planned("b/quick/seed=2", "b", "quick"),
             next_slow = planned("b/slow/seed=2", "b", "slow");
  TimeLeft time;
  time.begin(quick, 0), time.end(2);
  time.begin(slow, 2), time.end(22);
  time.begin(next_quick, 22);
  EXPECT_DOUBLE_EQ(time.seconds(std::vector<const Case*>{&next_slow, &next_quick}, 23).value(), 21);
  const Case other = planned("b/other/seed=2", "b", "other");
  EXPECT_DOUBLE_EQ(time.seconds(std::vector<const Case*>{&other}, 23).value(), 11);  // the mean of all
}

TEST(TimeLeft, GrowsWithTheImages) {
  const Case small = planned("a/m/seed=1/width=320", "a", "m", 320),
             large = planned("a/m/seed=1/width=960", "a", "m", 960);
  TimeLeft time;
  time.begin(small, 0), time.end(3);
  EXPECT_DOUBLE_EQ(time.seconds(std::vector<const Case*>{&large}, 3).value(), 27);
}

// The case reaches its stage twice as late as the one before, with 6 of its 10 s behind it.
TEST(TimeLeft, FollowsTheStages) {
  const Case first = planned("a/m/seed=1", "a", "m"), second = planned("b/m/seed=1", "b", "m");
  TimeLeft time;
  time.begin(first, 0), time.stage("fusion", 6), time.end(10);
  time.begin(second, 10);
  const std::vector<const Case*> left = {&second};
  EXPECT_DOUBLE_EQ(time.seconds(left, 12).value(), 8);
  time.stage("fusion", 22);
  EXPECT_DOUBLE_EQ(time.seconds(left, 22).value(), 4 * 1.6);
  EXPECT_DOUBLE_EQ(time.seconds(left, 40).value(), 0);
}

// Images that had to be rendered, where the case before found them, do not make all of the case five times as
// long.
TEST(TimeLeft, AnEarlyStageSaysLittleOfTheRest) {
  const Case first = planned("a/m/seed=1", "a", "m"), second = planned("b/m/seed=1", "b", "m");
  TimeLeft time;
  time.begin(first, 0), time.stage("cold", 1), time.end(10);
  time.begin(second, 10), time.stage("cold", 15);
  EXPECT_DOUBLE_EQ(time.seconds(std::vector<const Case*>{&second}, 15).value(), 9 * 1.4);
}

}  // namespace
}  // namespace aqbench
