#include "harness/ab/validation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "harness/ab/report.h"
#include "tests/harness/ab/documents.h"

namespace aqbench {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

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
