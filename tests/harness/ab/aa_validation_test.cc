#include "harness/ab/aa_validation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>

#include "harness/ab/aa_validation_json.h"
#include "tests/harness/ab/documents.h"

namespace aqbench {
namespace {

using ::testing::HasSubstr;

TEST(AaValidation, CountsFalseAlarmsAndWhatIsSeen) {
  const AaValidationReport report = judge_aa_validation(validation_of(0.05));
  EXPECT_EQ(report.aa_pairs, 160u);
  EXPECT_EQ(report.aa->draws, 200u);
  EXPECT_EQ(report.aa->regressed, 0u);
  EXPECT_TRUE(report.false_alarms_ok());
  ASSERT_EQ(report.stages.size(), 5u);
  EXPECT_EQ(report.stages[0].check->regressed, 200u);
  EXPECT_EQ(report.stages[0].check->confirmed_regressed, 200u);
  EXPECT_NEAR(*report.stages[0].measured_change, 0.05, 0.003);
  EXPECT_FALSE(report.stages[1].insensitive);
  EXPECT_TRUE(report.stages[2].insensitive) << "fuse takes 3 ms on both sides";
  EXPECT_THAT(report.stages[3].reason, HasSubstr("did not run in every unit"));
  EXPECT_TRUE(report.stages[4].insensitive);
  EXPECT_EQ(report.exit_code(), ExitCode::pass);
}

TEST(AaValidation, TheRateIsBoundedByIndependentBlocksOrBySimulationAndSaysWhich) {
  AaValidationReport report = judge_aa_validation(validation_of(0.05));
  EXPECT_EQ(report.measured_alarms->blocks, 4u) << "160 pairs in blocks of 40, whatever suites were drawn";
  EXPECT_FALSE(report.bounded_by_measured()) << "4 blocks bound the rate by 53 %";
  EXPECT_EQ(report.simulated_alarms->blocks, kSimulatedBlocks);
  EXPECT_TRUE(report.false_alarms_bounded());
  const Json json = to_json(report).at("false_alarms");
  EXPECT_EQ(json.at("bounded_by"), "blocks simulated from measured noise");
  EXPECT_NEAR(json.at("measured_blocks").at("rate_upper").get<double>(), 0.527, 1e-3);
  EXPECT_LE(json.at("simulated_blocks").at("rate_upper").get<double>(), 0.004);
  EXPECT_EQ(json.at("blocks_wanted"), 748);
  report.measured_alarms = AlarmCount{800, 0};
  EXPECT_EQ(to_json(report).at("false_alarms").at("bounded_by"), "measured blocks");
  report.measured_alarms = AlarmCount{4, 0};
  report.simulated_alarms = AlarmCount{kSimulatedBlocks, 7};
  EXPECT_EQ(to_json(report).at("false_alarms").at("bounded_by"), nullptr);
  EXPECT_EQ(report.exit_code(), ExitCode::inconclusive) << "few alarms in what was drawn, but no bound";
}

TEST(AaValidation, MissedBarsFail) {
  EXPECT_EQ(judge_aa_validation(validation_of(0.0)).exit_code(), ExitCode::regression);
  const AaValidationReport alarms = judge_aa_validation(validation_of(0.05, 1.05));
  EXPECT_FALSE(alarms.false_alarms_ok());
  EXPECT_EQ(alarms.exit_code(), ExitCode::regression);
  AaValidationDocument cut = validation_of(0.05);
  cut.run.complete = false;
  cut.series.resize(1);
  EXPECT_EQ(judge_aa_validation(cut).exit_code(), ExitCode::inconclusive);
}

TEST(AaValidation, SeriesThatWereDroppedCutOrMovedAreFound) {
  const AaValidationDocument good = validation_of(0.05);
  EXPECT_EQ(aa_validation_problem(good), "");
  AaValidationDocument forged = good;
  forged.series.pop_back();
  EXPECT_THAT(aa_validation_problem(forged), HasSubstr("pairs are missing"));
  forged.run.complete = false;
  EXPECT_EQ(aa_validation_problem(forged), "");
  forged = good;
  std::swap(forged.series[1], forged.series[2]);
  EXPECT_THAT(aa_validation_problem(forged), HasSubstr("series[1]: is not of the stage"));
  forged = good;
  forged.series[2].samples.units.resize(200);
  EXPECT_THAT(aa_validation_problem(forged), HasSubstr("series[3].samples: comes after one that"));
  forged = good;
  forged.series[1].samples.order_seed += 1;
  EXPECT_THAT(aa_validation_problem(forged), HasSubstr("order_seed: is 44, expected 43"));
  forged = good;
  forged.plan.live_runs = 2;
  forged.plan.live_pairs_per_look = 20;
  EXPECT_THAT(aa_validation_problem(forged), HasSubstr("pairs are missing"));
}

TEST(AaValidation, CountsLiveRunsThatCallACaseSlower) {
  AaValidationDocument document = validation_of(0.05);
  document.plan.live_runs = 3;
  document.plan.live_pairs_per_look = 40;
  document.plan.live_settings.confirm = false;
  for (std::size_t i = 0; i < 3; ++i) {
    AbSamples& run = document.live.emplace_back(timed_samples(40, i == 1 ? 1.1 : 1.0, 30 + i));
    reorder(run, live_order_seed(document.policy.seed, i));
  }
  EXPECT_EQ(aa_validation_problem(document), "");
  const AaValidationReport one = judge_aa_validation(document);
  EXPECT_EQ(one.live->runs, 3u);
  EXPECT_EQ(one.live->regressed, 1u);
  EXPECT_TRUE(one.live_ok()) << "one of at most twenty";
  EXPECT_TRUE(one.too_few_live_runs()) << "or one of one";
  EXPECT_EQ(one.exit_code(), ExitCode::inconclusive);
  document.live[2] = timed_samples(40, 1.1, 40);
  reorder(document.live[2], live_order_seed(document.policy.seed, 2));
  const AaValidationReport two = judge_aa_validation(document);
  EXPECT_FALSE(two.live_ok());
  EXPECT_EQ(two.exit_code(), ExitCode::regression);
  document.live[2].units.resize(10);  // interrupted in its third run
  document.run.complete = false;
  EXPECT_EQ(aa_validation_problem(document), "");
  EXPECT_EQ(judge_aa_validation(document).live->runs, 2u);
}

// Pairs with a metric that varies by `noise`, in place of times.
AaValidationDocument metric_validation(double noise) {
  AaValidationDocument document = validation_of(0);
  document.series.resize(1);
  document.plan = {160, 0, {}, {}, {{"threads", "1"}}, 0, 0, {}};
  document.pairs_per_draw = kPairsPerMetricDraw;
  document.outcomes = {{"accuracy_rmse_mm", AbOutcome::Kind::metric, "mm", Better::lower, 0.05}};
  std::mt19937_64 generator(3);
  std::normal_distribution<double> normal;
  for (AbUnit& unit : document.series[0].samples.units)
    unit.outcomes = {{"accuracy_rmse_mm", {1 + noise * normal(generator)}}};
  return document;
}

TEST(AaValidation, MetricsAreValidatedInPlaceOfTimes) {
  const AaValidationDocument document = metric_validation(0.02);
  EXPECT_EQ(aa_validation_problem(document), "");
  const AaValidationReport report = judge_aa_validation(document);
  ASSERT_TRUE(report.quality);
  EXPECT_FALSE(report.aa) << "times are not judged";
  EXPECT_EQ(report.quality->separate.blocks, 8U);
  EXPECT_TRUE(report.metrics_sensitive());
  EXPECT_EQ(report.exit_code(), ExitCode::pass);
  const std::string text = aa_validation_text(document, report);
  const AaValidationDocument again = aa_validation_from_json(Json::parse(text), "test");
  EXPECT_EQ(aa_validation_text(again, judge_aa_validation(again)), text);

  EXPECT_EQ(judge_aa_validation(metric_validation(0.3)).exit_code(), ExitCode::inconclusive) << "too noisy";
  AaValidationDocument gap = document;
  gap.series[0].samples.units[7].outcomes.clear();
  EXPECT_THAT(judge_aa_validation(gap).problems,
              ::testing::ElementsAre("A/A: accuracy_rmse_mm is undefined in a unit"));
  AaValidationDocument biased = document;
  for (AbUnit& unit : biased.series[0].samples.units)
    if (unit.side == AbSide::b) unit.outcomes[0].values[0] *= 1.2;
  EXPECT_EQ(judge_aa_validation(biased).exit_code(), ExitCode::regression);
}

}  // namespace
}  // namespace aqbench
