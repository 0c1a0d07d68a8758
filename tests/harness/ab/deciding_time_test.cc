#include "harness/ab/deciding_time.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/ab/benchmark_file.h"
#include "harness/ab/report.h"
#include "tests/harness/ab/documents.h"
#include "tests/harness/ab/support.h"

namespace aqbench {
namespace {

using test::noisy_units;
using test::Units;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Pairs whose wall time a busy machine disturbs by 15 %, while CPU time shows what B costs.
AbDocument busy_document(double cpu_ratio, double wall_ratio = 1) {
  const Units wall = noisy_units(24, wall_ratio, 5, 0.15), cpu = noisy_units(24, cpu_ratio, 6, 0.01);
  AbSamples samples;
  samples.cases = {{"x", std::nullopt}};
  for (std::size_t i = 0; i < wall.a.size(); ++i)
    append_pair(samples, 0, 1, i, unit_of_times({3 * wall.a[i]}, {cpu.a[i]}),
                unit_of_times({3 * wall.b[i]}, {cpu.b[i]}));
  return document_of(std::move(samples));
}

AbCaseReport judged(AbDocument document, DecideBy wanted, double load_1m, const std::string& why_not = "") {
  choose_deciding_time(
      wanted, MachineLoad{load_1m, 2}, [&](const AbCase&) { return why_not; }, document);
  return judge_ab(document).cases.front();
}

TEST(DecidingTime, OfALoadedMachineIsTheCpusAndOfAQuietOneTheWalls) {
  const AbCaseReport loaded = judged(busy_document(1.1), DecideBy::automatic, 2.5);
  EXPECT_EQ(loaded.verdict, AbVerdict::regressed) << loaded.reason;
  EXPECT_EQ(loaded.time->decided_by, DecidingTime::cpu);
  EXPECT_NEAR(*loaded.time->median_a_ms, 10, 0.2);
  const AbCaseReport quiet = judged(busy_document(1.1), DecideBy::automatic, 2);  // as many as processors
  EXPECT_EQ(quiet.verdict, AbVerdict::inconclusive);
  EXPECT_EQ(quiet.time->decided_by, DecidingTime::wall);
  EXPECT_NEAR(*quiet.time->median_a_ms, 30, 3);
  EXPECT_EQ(judged(busy_document(1), DecideBy::automatic, 9).verdict, AbVerdict::pass);
}

TEST(DecidingTime, OfSeveralThreadsIsTheWallsUnlessAskedFor) {
  AbDocument document = busy_document(1.1);
  choose_deciding_time(
      DecideBy::automatic, MachineLoad{9, 2}, [](const AbCase&) { return "uses 4 threads"; }, document);
  EXPECT_EQ(document.samples.cases[0].decided_by, DecidingTime::wall);
  EXPECT_THAT(document.notes, ElementsAre("wall time decides under a load of 9.0 on 2 processors, which "
                                          "disturbs it: x: uses 4 threads"));
  EXPECT_THAT(test::error_of(ErrorKind::usage,
                             [&] { judged(busy_document(1.1), DecideBy::cpu, 0, "has no CPU time"); }),
              HasSubstr("--decide-by cpu: x: has no CPU time"));
}

// Wall time can fail what CPU time passes, and cannot win what it does not.
TEST(DecidingTime, OfBothWallTimeIsACost) {
  // Under load nothing else sees a program that waits.
  EXPECT_EQ(judged(busy_document(1, 10), DecideBy::automatic, 9).verdict, AbVerdict::regressed);
  EXPECT_EQ(judged(busy_document(1, 10), DecideBy::cpu, 9).verdict, AbVerdict::pass);
  const AbCaseReport slower = judged(busy_document(1, 2), DecideBy::both, 0);
  EXPECT_EQ(slower.verdict, AbVerdict::regressed);
  EXPECT_THAT(slower.reason, HasSubstr("wall_ms REGRESSED"));
  EXPECT_EQ(judged(busy_document(1), DecideBy::both, 0).verdict, AbVerdict::pass);
  EXPECT_EQ(judged(busy_document(1, 0.4), DecideBy::both, 0).verdict, AbVerdict::pass);
  EXPECT_EQ(judged(busy_document(1.1, 0.4), DecideBy::both, 0).verdict, AbVerdict::regressed);
}

TEST(DecidingTime, StandsInTheBundleAndNeedsCpuTimes) {
  AbDocument document = busy_document(1.1);
  document.samples.cases[0].decided_by = DecidingTime::cpu;
  const AbSamples again = reread(document.samples);
  EXPECT_EQ(find_outcome(again.units[0], kCpuOutcome)->size(), 1u);
  document.samples.units[3].timing.cpu_ms.clear();
  EXPECT_THAT(test::error_of(ErrorKind::input, [&] { reread(document.samples); }),
              HasSubstr("records[3]: cpu_ms: must be above 0 for each of warm_ms"));
}

// Instructions vary by a millionth, times by a third: 3 % more are seen, and equal ones are the same. CPU
// time, which says the contrary, is not asked.
AbDocument counted_document(double ratio) {
  const Units wall = noisy_units(24, 1, 5, 0.3), counts = noisy_units(24, ratio, 6, 1e-6);
  AbSamples samples;
  samples.cases = {{"x", std::nullopt}};
  for (std::size_t i = 0; i < wall.a.size(); ++i)
    append_pair(samples, 0, 1, i, unit_of_times({wall.a[i]}, {wall.a[i]}, {1e6 * counts.a[i]}),
                unit_of_times({wall.b[i]}, {2 * wall.b[i]}, {1e6 * counts.b[i]}));
  return document_of(std::move(samples));
}

TEST(DecidingTime, InstructionsDecideAloneWhereTheyWereCounted) {
  const AbCaseReport slower = judged(counted_document(1.03), DecideBy::instructions, 9);
  EXPECT_EQ(slower.verdict, AbVerdict::regressed) << slower.reason;
  EXPECT_EQ(slower.time->decided_by, DecidingTime::instructions);
  EXPECT_NEAR(*slower.time->median_b_ms / *slower.time->median_a_ms, 1.03, 1e-5);
  EXPECT_THAT(slower.outcomes, IsEmpty());
  EXPECT_EQ(judged(counted_document(1), DecideBy::instructions, 9).verdict, AbVerdict::pass);
  EXPECT_EQ(judged(counted_document(0.9), DecideBy::instructions, 9).verdict, AbVerdict::faster);
  // The bundle and its JSON do not call a number of instructions milliseconds.
  AbDocument document = counted_document(1.03);
  document.samples.cases[0].decided_by = DecidingTime::instructions;
  EXPECT_EQ(find_outcome(reread(document.samples).units[0], kInstructionsOutcome)->size(), 1u);
  const Json time = to_json(judge_ab(document))["cases"][0]["time"];
  EXPECT_EQ(time["median_a_ms"], nullptr);
  EXPECT_NEAR(time["median_b"].get<double>(), 1.03e7, 1e5);
  EXPECT_EQ(time["decided_by"], "instructions");
}

TEST(DecidingTime, InstructionsOfAnIterationAreACounterOfEveryRun) {
  const std::string text = R"({"benchmarks": [
    {"name": "x", "real_time": 5, "cpu_time": 4, "time_unit": "ms", "INSTRUCTIONS": 1.2e6},
    {"name": "x", "real_time": 6, "cpu_time": 5, "time_unit": "ms", "INSTRUCTIONS": 1.3e6},
    {"name": "y", "real_time": 5, "cpu_time": 4, "time_unit": "ms", "INSTRUCTIONS": 1e6},
    {"name": "y", "real_time": 6, "cpu_time": 5, "time_unit": "ms", "INSTRUCTIONS": 0}]})";
  const auto times = read_gbench_report(text, "report");
  EXPECT_THAT(times.at(0).instructions, ElementsAre(1.2e6, 1.3e6));
  EXPECT_TRUE(times.at(1).instructions.empty());  // one of its runs was not counted
}

TEST(DecidingTime, WhereNoneAreCountedTheLoadChooses) {
  AbDocument document = busy_document(1.1);
  choose_deciding_time(
      DecideBy::instructions, MachineLoad{9, 2}, [](const AbCase&) { return ""; }, document,
      "the kernel counts none here");
  EXPECT_EQ(document.samples.cases[0].decided_by, DecidingTime::cpu);
  EXPECT_EQ(document.notes.front(), "instructions do not decide: the kernel counts none here");
}

// Nothing but the load chooses, so the rates are those of the time that decides: equal programs on a loaded
// machine, whose wall times differ by 3 times at random.
TEST(DecidingTime, DoesNotFlagEqualProgramsUnderLoad) {
  std::size_t flagged = 0, passed = 0;
  for (unsigned seed = 0; seed < 60; ++seed) {
    const Units wall = noisy_units(24, 1, 2 * seed, 0.5), cpu = noisy_units(24, 1, 2 * seed + 1, 0.02);
    AbSamples samples;
    samples.cases = {{"x", std::nullopt}};
    for (std::size_t i = 0; i < wall.a.size(); ++i)
      append_pair(samples, 0, 1, i, unit_of_times({wall.a[i]}, {cpu.a[i]}),
                  unit_of_times({wall.b[i]}, {cpu.b[i]}));
    const AbVerdict verdict = judged(document_of(std::move(samples)), DecideBy::automatic, 6).verdict;
    flagged += verdict == AbVerdict::regressed ? 1 : 0;
    passed += verdict == AbVerdict::pass ? 1 : 0;
  }
  EXPECT_EQ(flagged, 0u);
  EXPECT_GE(passed, 50u);
}

}  // namespace
}  // namespace aqbench
