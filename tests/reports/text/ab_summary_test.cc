#include "reports/text/ab_summary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "reports/text/aa_validation_summary.h"
#include "tests/harness/ab/documents.h"

namespace aqbench {
namespace {

using ::testing::HasSubstr;

TEST(AbReport, TextsSayWhatCouldHaveBeenSeenAndWhichStageMoved) {
  const AbDocument document = document_of(timed_samples(40, 1.07));
  const AbReport report = judge_ab(document);
  const std::string table = render_ab_table(document, report);
  EXPECT_THAT(table, HasSubstr("REGRESSED"));
  EXPECT_THAT(table, HasSubstr("40 pairs, 20 kept"));
  EXPECT_THAT(table, HasSubstr("would have flagged +"));
  EXPECT_THAT(table, HasSubstr("match +0."));
  EXPECT_THAT(table, HasSubstr("A/A rate behind it"));
  std::istringstream lines(table);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 110u) << line;
  EXPECT_THAT(render_ab_summary(document, report), HasSubstr("| match | slower |"));
}

TEST(AaValidation, TextsNameWhatIsInsensitiveOrOpen) {
  AaValidationDocument document = validation_of(0.05);
  EXPECT_THAT(render_aa_validation_table(judge_aa_validation(document)),
              HasSubstr("insensitive: too short for the clock"));
  const std::string summary = render_aa_validation_summary(document, judge_aa_validation(document));
  EXPECT_THAT(summary,
              HasSubstr("independent: 4 blocks share no pair, 0 of them called slower, which bounds the "
                        "rate of false alarms below 53 %; by simulation, 3000 blocks"));
  EXPECT_THAT(summary, HasSubstr("0.4 % would take 748 blocks without an alarm"));
  document.plan.live_runs = 3;
  document.plan.live_pairs_per_look = 40;
  document.plan.live_settings.confirm = false;
  for (std::size_t i = 0; i < 3; ++i) {
    AbSamples& run = document.live.emplace_back(timed_samples(40, i == 1 ? 1.1 : 1.0, 30 + i));
    reorder(run, live_order_seed(document.policy.seed, i));
  }
  const std::string table = render_aa_validation_table(judge_aa_validation(document));
  EXPECT_THAT(table, HasSubstr("OPEN: a false alarm in 3 live runs"));
  EXPECT_THAT(table, HasSubstr("live: 3 whole A/A comparisons of 1 cases each"));
  EXPECT_THAT(render_aa_validation_summary(document, judge_aa_validation(document)),
              HasSubstr("the rate of such runs is below 86 %"));
}

}  // namespace
}  // namespace aqbench
