#include "harness/ab/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
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

TEST(AbReport, AFasterBuildWithWorseAccuracyIsWorse) {
  AbDocument document = document_of(timed_samples(40, 0.8));
  EXPECT_EQ(only_case(document).verdict, AbVerdict::faster);
  EXPECT_EQ(judge_ab(document).exit_code(), ExitCode::pass);
  give_outputs(document.samples, 1.0, 1.2);
  const AbCaseReport worse = only_case(document);
  EXPECT_EQ(worse.verdict, AbVerdict::worse);
  EXPECT_THAT(worse.reason, HasSubstr("accuracy_mean_mm 1 -> 1.2 mm"));
  EXPECT_THAT(worse.pareto, HasSubstr("B is faster but less accurate"));
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
  EXPECT_THAT(line(1.2, 0.8), EndsWith(": B is slower but more accurate"));
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
  EXPECT_EQ(only_case(document).verdict, AbVerdict::worse);
}

TEST(AbReport, UndefinedUnscoredOrUnsteadyOutputsAreInvalid) {
  AbDocument document = document_of(timed_samples(40, 0.8));
  give_outputs(document.samples, 1.0, 1.0);
  scored(document, 1)[0].second = {std::nullopt, "mm", Better::lower, "no points"};
  EXPECT_EQ(only_case(document).verdict, AbVerdict::worse);
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

using ::testing::ContainsRegex;

PairedComparison comparison_of(double ratio, double low, double high) {
  PairedComparison comparison;
  comparison.scale = ShiftScale::log_ratio;
  comparison.verdict = ratio > 1 ? PairedVerdict::regressed : PairedVerdict::faster;
  comparison.shift = std::log(ratio);
  comparison.interval.lower = std::log(low);
  comparison.interval.upper = std::log(high);
  return comparison;
}

TEST(SpeedWords, AreFactorsFromTwoOnAndPercentBelow) {
  EXPECT_EQ(speed_words(comparison_of(1 / 19.3, 1 / 19.7, 1 / 18.9)), "19.3 x faster (18.9 to 19.7)");
  EXPECT_EQ(speed_words(comparison_of(3.1, 2.9, 3.3)), "3.1 x slower (2.9 to 3.3)");
  EXPECT_EQ(speed_words(comparison_of(1.059, 1.053, 1.066)), "5.9 % slower (5.3 to 6.6 %)");
  EXPECT_EQ(speed_words(comparison_of(0.88, 0.87, 0.9)), "12.0 % faster (10.0 to 13.0 %)");
}

TEST(AbVerdictRows, TheCaseDecidesAndItsValuesAreShownBehindIt) {
  const AbReport report = judge_ab(document_of(timed_samples(40, 1.07)));
  const Verdicts& verdicts = report.verdicts;
  ASSERT_EQ(verdicts.rows.size(), 1u);
  EXPECT_EQ(verdicts.exit_code(), ExitCode::regression);
  EXPECT_EQ(verdicts.count(Verdict::regressed), 1u);
  const VerdictRow& row = verdicts.rows[0];
  EXPECT_EQ(row.label, "REGRESSED");
  EXPECT_EQ(row.metric, "wall time");
  EXPECT_NEAR(*row.current / *row.baseline, 1.07, 0.005);
  EXPECT_THAT(row.words, ContainsRegex("^B is [67][.][0-9] % slower [(][0-9.]+ to [0-9.]+ %[)]"));
}

// The bound is the upper end of the interval, rounded up.
TEST(AbVerdictRows, APassSaysHowMuchSlowerBMayBe) {
  const AbReport report = judge_ab(document_of(timed_samples(40, 1)));
  ASSERT_EQ(report.cases[0].verdict, AbVerdict::pass);
  const PairedComparison& c = *report.cases[0].time->comparison;
  const double most_pct = 100 * change_of(c.scale, shown_shift(c).interval.upper);
  double said = -1;
  ASSERT_GT(most_pct, 0);
  ASSERT_EQ(std::sscanf(report.verdicts.rows[0].words.c_str(), "B is not more than %lf %% slower: ", &said),
            1);
  EXPECT_GE(said, most_pct);
  EXPECT_LT(said, most_pct + 0.1);
}

TEST(AbVerdictRows, AFasterBWithAWorseOutputIsATrade) {
  AbDocument document = document_of(timed_samples(40, 0.3));
  give_outputs(document.samples, 0.8, 1.6);
  const AbReport report = judge_ab(document);
  ASSERT_GT(report.verdicts.rows.size(), 1u);
  EXPECT_TRUE(report.verdicts.rows[1].only_shown);
  EXPECT_THAT(report.verdicts.rows[0].words,
              ContainsRegex("^B is 3[.0-9]* x faster [(].*[)], .* 2 x worse: faster but less accurate$"));
  EXPECT_EQ(report.exit_code(), ExitCode::regression);
}

TEST(AbVerdictRows, TooFewPairsAreOpen) {
  const AbReport report = judge_ab(document_of(timed_samples(7, 1)));
  EXPECT_EQ(report.verdicts.exit_code(), ExitCode::inconclusive);
  EXPECT_THAT(report.verdicts.rows[0].words, HasSubstr("7 pairs measured, a verdict needs"));
  // What was measured is shown: by the samples 10 ms, with 0.5 % of noise.
  EXPECT_NEAR(report.verdicts.rows[0].baseline.value_or(0), 10, 0.1);
  EXPECT_NEAR(report.verdicts.rows[0].current.value_or(0), 10, 0.1);
}

using ::testing::ElementsAre;

std::vector<AbCaseReport> cases_of(const std::vector<AbVerdict>& verdicts) {
  std::vector<AbCaseReport> cases(verdicts.size());
  for (std::size_t i = 0; i < verdicts.size(); ++i) cases[i].verdict = verdicts[i];
  return cases;
}

TEST(Validation, NamesItsComparisonsAndKnowsTheDelayedOnes) {
  const AbValidation both{"a/b", 2, "+5%"}, plain{"a/b", 2, ""};
  EXPECT_EQ(both.total(), 4u);
  EXPECT_EQ(plain.total(), 2u);
  EXPECT_EQ(both.name_of(1), "a/b A/A 2");
  EXPECT_EQ(both.name_of(2), "a/b +5% 1");
  EXPECT_FALSE(both.is_delayed(1));
  EXPECT_TRUE(both.is_delayed(2));
}

TEST(Validation, CountsVerdictsOfBothKinds) {
  const auto cases =
      cases_of({AbVerdict::pass, AbVerdict::regressed, AbVerdict::faster, AbVerdict::inconclusive,
                AbVerdict::regressed, AbVerdict::regressed, AbVerdict::worse, AbVerdict::pass});
  const ValidationReport report = count_validation({"a/b", 4, "+5%"}, cases, paired_policy("sensitive"));
  EXPECT_EQ(report.itself.pass, 1u);
  EXPECT_EQ(report.itself.slower, 1u);
  EXPECT_EQ(report.itself.faster, 1u);
  EXPECT_EQ(report.itself.open, 1u);
  EXPECT_EQ(report.delayed.slower, 3u);
  EXPECT_EQ(report.delayed.judged(), 4u);
}

// Without an alarm in n comparisons the exact bound p satisfies (1 - p)^n = 0.01; n alarms of n bound the
// rate from below by the p with p^n = 0.01.
TEST(Validation, BoundsTheRateExactly) {
  const PairedPolicy policy = paired_policy("sensitive");
  const auto of = [&](std::size_t alarms, std::size_t quiet) {
    std::vector<AbVerdict> verdicts(alarms, AbVerdict::regressed);
    verdicts.resize(alarms + quiet, AbVerdict::pass);
    return count_validation({"a/b", alarms + quiet, ""}, cases_of(verdicts), policy);
  };
  EXPECT_NEAR(of(0, 20).alarm_rate_upper, 1 - std::pow(0.01, 1 / 20.0), 1e-12);
  EXPECT_EQ(of(0, 20).alarm_rate_lower, 0);
  EXPECT_NEAR(of(3, 0).alarm_rate_lower, std::pow(0.01, 1 / 3.0), 1e-12);
  EXPECT_EQ(of(3, 0).alarm_rate_upper, 1);
  // One alarm of 20 may be chance: P(at least 1 | 0.4 %) = 7.7 %. Two may not: 0.29 %.
  EXPECT_EQ(of(0, 20).exit_code(), ExitCode::pass);
  EXPECT_EQ(of(1, 19).exit_code(), ExitCode::pass);
  EXPECT_EQ(of(2, 18).exit_code(), ExitCode::regression);
  EXPECT_THAT(validation_lines(of(2, 18))[1], HasSubstr("above 0.76 % (limit 0.4 %)"));
}

TEST(Validation, AFailedUnitFailsIt) {
  const auto report =
      count_validation({"a/b", 2, ""}, cases_of({AbVerdict::pass, AbVerdict::failed}), paired_policy("gate"));
  EXPECT_EQ(report.exit_code(), ExitCode::case_failed);
  EXPECT_EQ(report.itself.judged(), 1u);
}

TEST(Validation, APlantedDelayIsSeenAndASideIsNotSlowerThanItself) {
  const AbDocument document = validation_document(5, 1.05);
  const AbReport report = judge_ab(document);
  ASSERT_TRUE(report.validation.has_value());
  EXPECT_EQ(report.validation->itself.slower, 0u);
  EXPECT_EQ(report.validation->delayed.slower, 5u);
  EXPECT_LT(report.validation->largest_change, 0.01);
  EXPECT_EQ(report.validation->tau, document.settings.policy.tau);
  EXPECT_EQ(report.exit_code(), ExitCode::pass);
}

TEST(Validation, ASideThatIsSlowerThanItselfEndsWithOne) {
  const AbReport report = judge_ab(validation_document(4, 1.05, 1.04));
  EXPECT_EQ(report.validation->itself.slower, 4u);
  EXPECT_NEAR(report.validation->largest_change, 0.04, 0.005);
  EXPECT_EQ(report.validation->tau, report.validation->largest_change);
  EXPECT_EQ(report.exit_code(), ExitCode::regression);
}

}  // namespace

}  // namespace aqbench
