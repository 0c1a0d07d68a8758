#include "harness/measuring/perf_sampler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace aqbench {
namespace {

// As `perf script -F comm,ip,sym,dso` prints: innermost first, a blank line after each sample.
constexpr const char* kScript =
    "aqbench\n"
    "\tffffffff81 clear_page_erms ([kernel.kallsyms])\n"
    "\t    55d0f1 planted_hot_function(double, int) (/usr/bin/aqbench)\n"
    "\t    7f11aa [unknown] (/usr/lib/libtorch_cpu.so.1.13.0)\n"
    "\t    55d0f2 aqbench::run_profiled_target(std::function<void ()> const&) (/usr/bin/aqbench)\n"
    "\t    7f0001 main (/usr/bin/aqbench)\n"
    "\n"
    "aqbench\n"
    "\t    7f11ab [unknown] ([unknown])\n"
    "\n";

TEST(PerfScript, BecomesStacksFromTheRootOn) {
  const FoldedStacks stacks = stacks_of_perf_script(kScript, "run_profiled_target");
  EXPECT_EQ(stacks, (FoldedStacks{
                        {"[libtorch_cpu.so.1.13.0];planted_hot_function(double, int);clear_page_erms_[k]", 1},
                        {"[unknown]", 1}}));
}

TEST(PerfScript, NothingGivesNothing) { EXPECT_TRUE(stacks_of_perf_script("", "x").empty()); }

TEST(PerfProblem, IsOneLineThatSaysWhatWouldHelp) {
  const std::string problem = perf_problem();
  if (problem.empty()) GTEST_SKIP() << "perf may sample here";
  EXPECT_THAT(problem, testing::HasSubstr("kernel.perf_event_paranoid"));
  EXPECT_EQ(problem.find('\n'), std::string::npos);
}

}  // namespace
}  // namespace aqbench
