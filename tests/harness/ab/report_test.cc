#include "harness/ab/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>

#include "tests/harness/ab/documents.h"

namespace aqbench {
namespace {

using ::testing::Contains;
using ::testing::EndsWith;
using ::testing::HasSubstr;

// The metrics of A's scored unit, or of B's.
MetricSet& scored(AbDocument& document, std::size_t side) {
  for (Record& unit : document.samples.units)
    if (unit.unit->scored && (unit.unit->side == AbSide::b) == (side == 1)) return unit.metrics;
  throw std::logic_error("nothing is scored");
}

AbCaseReport only_case(const AbDocument& document) { return judge_ab(document).cases.at(0); }

TEST(AbReport, AFasterBuildWithWorseAccuracyIsInvalid) {
  AbDocument document = document_of(timed_samples(40, 0.8));
  EXPECT_EQ(only_case(document).verdict, AbVerdict::faster);
  EXPECT_EQ(judge_ab(document).exit_code(), ExitCode::pass);
  give_outputs(document.samples, 1.0, 1.2);
  const AbCaseReport worse = only_case(document);
  EXPECT_EQ(worse.verdict, AbVerdict::invalid);
  EXPECT_THAT(worse.reason, HasSubstr("accuracy_mean_mm 1 -> 1.2 mm"));
  EXPECT_THAT(worse.pareto, HasSubstr("a trade of one for the other"));
  EXPECT_EQ(judge_ab(document).exit_code(), ExitCode::regression);
}

TEST(AbReport, OtherBytesOfTheSameOrBetterAccuracyAreFine) {
  AbDocument document = document_of(timed_samples(40, 0.8));
  give_outputs(document.samples, 1.0, 0.9);
  EXPECT_EQ(only_case(document).verdict, AbVerdict::faster);
  EXPECT_EQ(only_case(document).outputs, "differ");
  EXPECT_THAT(only_case(document).pareto, HasSubstr("B is better in both"));
  give_outputs(document.samples, 1.0, 1.04);  // within 5 %
  EXPECT_EQ(only_case(document).verdict, AbVerdict::faster);
}

TEST(AbReport, TheParetoLineSaysWhatIsTrueOfBothAxes) {
  const auto line = [](double ratio, double accuracy_b_mm) {
    AbDocument document = document_of(timed_samples(40, ratio));
    give_outputs(document.samples, 1.0, accuracy_b_mm);
    return only_case(document).pareto;
  };
  EXPECT_THAT(line(0.8, 1.0), EndsWith("accuracy_mean_mm 1 -> 1 mm: B is faster at equal accuracy"));
  EXPECT_THAT(line(1.2, 1.0), EndsWith(": B is slower at equal accuracy"));
  EXPECT_THAT(line(0.8, 1.04), EndsWith(": B is faster, its accuracy is within the tolerance"));
  EXPECT_THAT(line(1.2, 0.98), EndsWith(": B is slower, its accuracy is within the tolerance"));
  EXPECT_THAT(line(1.2, 1.2), EndsWith(": A is better in both"));
  EXPECT_THAT(line(1.2, 0.8), EndsWith(": a trade of one for the other"));
  EXPECT_THAT(line(1.0, 0.8), EndsWith(": B is more accurate, its time did not move for certain"));
  EXPECT_THAT(line(1.0, 1.2), EndsWith(": B is less accurate, its time did not move for certain"));
  EXPECT_THAT(line(1.0, 1.0), EndsWith("accuracy_mean_mm 1 -> 1 mm"));
  EXPECT_THAT(only_case(document_of(timed_samples(40, 0.8))).pareto,
              EndsWith("output identical: B is faster at equal accuracy"));
}

TEST(AbReport, OtherMetricsThanTheHeadlinesAreShownAndDecideOnlyAlone) {
  AbDocument document = document_of(timed_samples(40, 0.8));
  give_outputs(document.samples, 1.0, 1.0);
  for (const std::size_t i : {0, 1})
    scored(document, i).push_back({"tile_worst_abs_bias_mm", {i == 0 ? 1.0 : 1.3, "mm", Better::lower, ""}});
  EXPECT_EQ(only_case(document).verdict, AbVerdict::faster);
  EXPECT_EQ(only_case(document).accuracy.front().metric, "tile_worst_abs_bias_mm");
  for (const std::size_t i : {0, 1}) scored(document, i).erase(scored(document, i).begin());
  EXPECT_EQ(only_case(document).verdict, AbVerdict::invalid);
}

TEST(AbReport, UndefinedUnscoredOrUnsteadyOutputsAreInvalid) {
  AbDocument document = document_of(timed_samples(40, 0.8));
  give_outputs(document.samples, 1.0, 1.0);
  scored(document, 1)[0].second = {std::nullopt, "mm", Better::lower, "no points"};
  EXPECT_EQ(only_case(document).verdict, AbVerdict::invalid);
  scored(document, 0)[0].second = {std::nullopt, "mm", Better::lower, "no points"};
  EXPECT_THAT(only_case(document).reason, HasSubstr("no metric of A's is defined"));
  EXPECT_EQ(only_case(document).verdict, AbVerdict::invalid);
  for (Record& unit : document.samples.units) unit.unit->scored = false;
  EXPECT_THAT(only_case(document).reason, HasSubstr("were not scored"));
  document = document_of(timed_samples(40, 0.8));
  for (Record& unit : document.samples.units)
    if (unit.unit->side == AbSide::b && unit.unit->pair == 7) unit.output_sha256 = "other";
  EXPECT_THAT(only_case(document).reason, HasSubstr("2 different outputs for the same input"));
}

TEST(AbReport, ExitCodesFollowTheVerdicts) {
  EXPECT_EQ(judge_ab(document_of(timed_samples(40, 1.07))).exit_code(), ExitCode::regression);
  EXPECT_EQ(judge_ab(document_of(timed_samples(40, 1.0))).exit_code(), ExitCode::pass);
  EXPECT_EQ(judge_ab(document_of(timed_samples(10, 1.0))).exit_code(), ExitCode::inconclusive);
  AbDocument failed = document_of(timed_samples(40, 1.0));
  failed.samples.units.back().status = Status::crashed;
  failed.samples.units.back().reason = "died of signal 11";
  EXPECT_EQ(judge_ab(failed).exit_code(), ExitCode::case_failed);
  EXPECT_THAT(only_case(failed).reason, HasSubstr("died of signal 11"));
  failed.samples.units.back().unit->side = AbSide::b;
  failed.samples.units.back().status = Status::invalid;
  failed.samples.units.back().reason = invalid_reason("mean_intensity is 3, not 4");
  EXPECT_EQ(only_case(failed).verdict, AbVerdict::invalid) << "wrong output of B, however fast";
  AbDocument noisy = document_of(timed_samples(40, 1.0));
  noisy.samples.cases[0].tau = 0.5;
  EXPECT_EQ(only_case(noisy).verdict, AbVerdict::refused);
  EXPECT_EQ(judge_ab(noisy).exit_code(), ExitCode::inconclusive);
}

TEST(AbReport, SaysWhenBothSidesAreTheSame) {
  AbDocument document = document_of(timed_samples(40, 1.0));
  EXPECT_TRUE(judge_ab(document).notes.empty());
  document.b.program_sha256 = document.a.program_sha256;
  EXPECT_THAT(judge_ab(document).notes, Contains(HasSubstr("this is an A/A run")));
  document.b.file_sha256 = "3333";
  EXPECT_TRUE(judge_ab(document).notes.empty()) << "a script around the program may do anything";
  document.b.file_sha256.clear();
  document.b.variant = "kernel=fused";
  EXPECT_TRUE(judge_ab(document).notes.empty());
}

}  // namespace
}  // namespace aqbench
