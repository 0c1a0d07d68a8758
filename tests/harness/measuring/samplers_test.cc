#include "harness/measuring/samplers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <time.h>

#include <thread>

#include "core/parallel.h"
#include "harness/measuring/hotspots.h"

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

TEST(ReadableFunction, IsDemangledWithoutAnonymousNamespaces) {
  EXPECT_EQ(readable_function("_ZN7aqbench12_GLOBAL__N_14warpEid"), "aqbench::warp(int, double)");
  EXPECT_EQ(readable_function("main"), "main");
  EXPECT_EQ(readable_function(""), "");
}

TEST(ReadableFunction, OfAWrapperIsTheFunctionThatItCalls) {
  // std::function<void(int)> around the first lambda of aqbench::fill(int), and around a plain function.
  EXPECT_EQ(
      readable_function("_ZNSt17_Function_handlerIFviEZN7aqbench4fillEiEUliE_E9_M_invokeERKSt9_Any_dataOi"),
      "aqbench::fill(int)::{lambda(int)#1}");
  EXPECT_EQ(readable_function("_ZNSt17_Function_handlerIFviEPS0_E9_M_invokeERKSt9_Any_dataOi"),
            "void (*)(int)");
}

TEST(ReadableFunction, LongArgumentsAreLeftOut) {
  std::string symbol = "_ZN7aqbench4warpE";
  for (int i = 0; i < 40; ++i) symbol += "Pfi";
  EXPECT_EQ(readable_function(symbol), "aqbench::warp(...)");
}

}  // namespace

// Named in the stacks, so not in an anonymous namespace, which debuggers print but not all tools alike.
__attribute__((noinline)) double planted_hot_function(double start, double cpu_s) {
  timespec begin{}, now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
  double value = start;
  do {
    for (int i = 0; i < 20000; ++i) value = 0.5 * value + i;  // calls nothing
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  } while (static_cast<double>(now.tv_sec - begin.tv_sec) +
               1e-9 * static_cast<double>(now.tv_nsec - begin.tv_nsec) <
           cpu_s);
  return value;
}

__attribute__((noinline)) double root_of_samples() {
  const StageScope stage("hot_stage");
  return planted_hot_function(1, 0.4);
}

namespace {

std::uint64_t samples_with(const FoldedStacks& stacks, const std::string& part) {
  std::uint64_t count = 0;
  for (const auto& [stack, samples] : stacks)
    if (stack.find(part) != std::string::npos) count += samples;
  return count;
}

class Sampled {
 public:
  explicit Sampled(const std::function<void()>& work) {
    CpuSampler sampler(500);
    set_stage_observer(&sampler);
    work();
    set_stage_observer(nullptr);
    samples = sampler.finish("root_of_samples");
  }
  CpuSamples samples;
};

TEST(CpuSampler, FindsTheHotFunctionAndItsStage) {
  double sum = 0;
  const FoldedStacks stacks = Sampled([&] { sum += root_of_samples(); }).samples.stacks;
  ASSERT_GT(sum, 0);
  const auto all = static_cast<double>(sample_count(stacks));
  // 0.4 s of CPU time at the kernel's tick of at least 100 Hz, or as asked at 500.
  EXPECT_GE(all, 30);
  EXPECT_LE(all, 300);
  EXPECT_GE(static_cast<double>(samples_with(stacks, "planted_hot_function")), 0.9 * all);
  EXPECT_GE(static_cast<double>(samples_with(stacks, "stage hot_stage;")), 0.9 * all);
  EXPECT_EQ(samples_with(stacks, "root_of_samples"), 0U) << "and what called it is left out";
  const HotspotReport report = find_hotspots(stacks, "test");
  EXPECT_THAT(report.hottest.at(0).name, testing::HasSubstr("planted_hot_function"));
}

TEST(CpuSampler, SeesThreadsThatComeLater) {
  const FoldedStacks stacks =
      Sampled([] {
        const StageScope stage("threads");
        set_thread_count(3);
        parallel_for(3, 1, [](std::size_t, std::size_t) { EXPECT_GT(planted_hot_function(1, 0.1), 0); });
        std::thread([] { EXPECT_GT(planted_hot_function(1, 0.1), 0); }).join();
      }).samples.stacks;
  // 0.4 s on four threads, one of which was there before.
  EXPECT_GE(samples_with(stacks, "planted_hot_function"), 30U);
  EXPECT_GE(samples_with(stacks, "stage threads;"), 30U) << "a thread without a stage works for the main one";
}

TEST(CpuSampler, SleepTakesNoSamples) {
  const FoldedStacks stacks =
      Sampled([] { std::this_thread::sleep_for(std::chrono::milliseconds(200)); }).samples.stacks;
  EXPECT_LT(sample_count(stacks), 10U);
}

TEST(Folded, ReadsBackWhatItWrites) {
  const FoldedStacks stacks = {{"a b;c", 3}, {"a b", 1}};
  EXPECT_EQ(read_folded(folded_text(stacks), "x"), stacks);
  EXPECT_THROW(read_folded("a;b\n", "x"), std::exception);
  EXPECT_THROW(read_folded("a;b 3x\n", "x"), std::exception);
}

TEST(Hotspots, WarnOfOverheadsFewSamplesAndMissingSymbols) {
  const auto warnings = [](const FoldedStacks& stacks, const char* target = "x") {
    std::string text;
    for (const std::string& warning : find_hotspots(stacks, target).warnings) text += warning + "\n";
    return text;
  };
  EXPECT_THAT(warnings({}), testing::HasSubstr("no CPU samples"));
  EXPECT_THAT(warnings({{"main;work", 50}}), testing::HasSubstr("only 50 CPU samples"));
  EXPECT_THAT(warnings({{"main;work", 900}, {"main;work;malloc;_int_malloc", 100}}),
              testing::HasSubstr("allocation takes 10 %"));
  EXPECT_THAT(warnings({{"main;work", 990}, {"main;malloc", 10}}),
              testing::Not(testing::HasSubstr("allocation")));
  EXPECT_THAT(warnings({{"main;work", 500}, {"start;[libgomp.so.1.0.0]", 500}}),
              testing::AllOf(testing::HasSubstr("thread pool takes 50 %"),
                             testing::HasSubstr("50 % of the CPU samples end in code without symbols")));
  EXPECT_THAT(warnings({{"thread;[libgomp.so.1.0.0];kernel", 900}}),
              testing::Not(testing::HasSubstr("thread pool")))
      << "the pool calls the work";
  EXPECT_THAT(warnings({{"main;warp_row", 900}, {"main;odd", 200}}, "plane_sweep"),
              testing::AllOf(testing::HasSubstr("unexpected hotspot: odd"),
                             testing::Not(testing::HasSubstr("unexpected hotspot: warp_row"))));
}

}  // namespace

}  // namespace aqbench
