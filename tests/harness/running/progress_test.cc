#include "harness/running/progress.h"

#include <fcntl.h>
#include <unistd.h>

#include "core/files.h"
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

}  // namespace
}  // namespace aqbench
