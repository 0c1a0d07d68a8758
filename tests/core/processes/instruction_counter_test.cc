#include "core/processes/instruction_counter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/perf_event.h>
#include <sys/wait.h>
#include <unistd.h>

#include <ctime>

namespace aqbench {
namespace {

using ::testing::HasSubstr;

double cpu_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return 1e9 * static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec);
}

void work(double ns) {
  for (const double start = cpu_ns(); cpu_ns() < start + ns;) {
  }
}

void work_in_a_child(double ns) {
  const pid_t child = ::fork();
  if (child == 0) {
    work(ns);
    ::_exit(0);
  }
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
}

// A clock of the kernel, which it keeps as it counts instructions, on machines without counters, too.
TEST(InstructionCounter, CountsChildrenWhileItRuns) {
  InstructionCounter counter(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK);
  if (!counter.why_not().empty()) GTEST_SKIP() << counter.why_not();
  counter.start();
  work_in_a_child(4e7);
  const auto first = counter.stop();
  work_in_a_child(4e8);  // between the two it stands still; long beside what a busy machine adds
  counter.start();
  work_in_a_child(1e7);
  const auto second = counter.stop();
  ASSERT_TRUE(first && second);
  EXPECT_GE(*first, 4e7);
  EXPECT_LT(*first, 4e8);
  EXPECT_GE(*second, 1e7);
  EXPECT_LT(*second, 4e8);
}

TEST(InstructionCounter, CountsInstructionsOrSaysWhyNot) {
  InstructionCounter counter;
  counter.start();
  work(1e6);
  const auto count = counter.stop();
  if (counter.why_not().empty()) {
    ASSERT_TRUE(count);
    EXPECT_GT(*count, 1e4);
  } else {
    EXPECT_FALSE(count);
    EXPECT_THAT(counter.why_not(), HasSubstr("perf_event_open: "));
  }
}

}  // namespace
}  // namespace aqbench
