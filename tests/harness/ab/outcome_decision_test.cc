#include "harness/ab/decision.h"

#include <gmock/gmock.h>

#include <functional>

#include "harness/ab/report.h"
#include "harness/ab/run.h"
#include "tests/harness/ab/support.h"

namespace aqbench {
namespace {

AbOutcome rmse(double margin = 0.05) {
  AbOutcome outcome;
  outcome.name = "accuracy_rmse_mm";
  outcome.kind = AbOutcome::Kind::metric;
  outcome.unit = "mm";
  outcome.margin = margin;
  return outcome;
}

AbSettings settings_with(std::vector<AbOutcome> outcomes) {
  AbSettings settings;
  settings.policy.looks = 3;
  settings.policy.bootstrap_draws = 0;
  settings.policy.resolution_draws = 0;
  settings.outcomes = std::move(outcomes);
  return settings;
}

// Times and an rmse by formula: B takes `time` and errs `error` times as much as A.
AbUnitRunner formula(double time, double error, double error_cv = 0.02) {
  auto generator = std::make_shared<std::mt19937>(11);
  return [=](const AbUnitTask& task) -> std::optional<CaseResult> {
    std::normal_distribution<double> normal;
    const bool b = task.side == AbSide::b;
    CaseResult answer{unit_record(), {}};
    const double ms = 10 * (b ? time : 1) * std::exp(0.004 * normal(*generator));
    answer.record.timing.warm_ms = {ms, ms * 1.01, ms * 1.02};
    answer.record.output_sha256 = "hash " + std::to_string(task.draw);
    answer.record.unit->outcomes = {
        {"accuracy_rmse_mm", {2 * (b ? error : 1) * (1 + error_cv * normal(*generator))}}, {"cpu_ms", {ms}}};
    return answer;
  };
}

AbReport judged(const AbUnitRunner& runner, const AbSettings& settings, AbDocument& document) {
  document.settings = settings;
  document.run.pairs_per_look = 24;
  document.samples.cases = {{"scene/method", std::nullopt}};
  EXPECT_TRUE(run_ab(document.samples, document.settings, document.run.pairs_per_look, runner, {}));
  EXPECT_EQ(follow_ab(document.samples, document.settings, document.run.pairs_per_look).problem, "");
  return judge_ab(document);
}

TEST(OutcomeDecision, FasterAndWorseIsInvalidWorseAloneWorseAndSlowerRegressed) {
  AbDocument document;
  const AbReport faster = judged(formula(0.8, 1.08), settings_with({rmse()}), document);
  EXPECT_EQ(faster.cases[0].verdict, AbVerdict::worse) << faster.cases[0].reason;
  EXPECT_EQ(faster.exit_code(), ExitCode::regression);
  AbDocument second;
  const AbReport same = judged(formula(1, 1.08), settings_with({rmse()}), second);
  EXPECT_EQ(same.cases[0].verdict, AbVerdict::worse) << same.cases[0].reason;
  EXPECT_EQ(same.exit_code(), ExitCode::regression);
  AbDocument slower;
  EXPECT_EQ(judged(formula(1.2, 1.08), settings_with({rmse()}), slower).cases[0].verdict,
            AbVerdict::regressed);
  AbDocument third;
  const AbReport good = judged(formula(0.8, 1), settings_with({rmse()}), third);
  EXPECT_EQ(good.cases[0].verdict, AbVerdict::faster) << good.cases[0].reason;
  EXPECT_EQ(good.cases[0].outcomes[0].decision.verdict, PairedVerdict::pass);
}

// Equal times, and a memory of so much in B, of about 500 in A.
AbReport judged_by_memory(const std::function<double(const AbUnitTask&)>& memory_of_b) {
  AbOutcome memory;
  memory.name = "memory";
  AbDocument document;
  const auto base = formula(1, 1);
  const AbUnitRunner runner = [&](const AbUnitTask& task) {
    auto answer = base(task);
    const double typical = task.side == AbSide::b ? memory_of_b(task) : 500;
    answer->record.unit->outcomes = {{"memory", {typical + static_cast<double>(task.draw % 3)}}};
    return answer;
  };
  AbSettings settings = settings_with({memory});
  settings.outputs_may_differ = true;
  return judged(runner, settings, document);
}

TEST(OutcomeDecision, ACostThatIsMoreIsRegressedThoughTheTimeIsNot) {
  const AbReport report = judged_by_memory([](const AbUnitTask&) { return 550; });
  EXPECT_EQ(report.cases[0].verdict, AbVerdict::regressed) << report.cases[0].reason;
  EXPECT_EQ(report.cases[0].time->verdict, PairedVerdict::pass);
}

TEST(OutcomeDecision, ACostWithASlowModeInBAloneIsNoPass) {
  const AbReport report =
      judged_by_memory([](const AbUnitTask& task) { return task.draw % 12 < 5 ? 5000 : 500; });
  EXPECT_EQ(report.cases[0].time->verdict, PairedVerdict::pass);
  EXPECT_EQ(report.cases[0].verdict, AbVerdict::inconclusive) << report.cases[0].reason;
  EXPECT_THAT(report.cases[0].reason, ::testing::HasSubstr("memory: B has more slow runs: 10 of 24"));
}

TEST(OutcomeDecision, AnOutcomeThatOneSideLacksIsNoPass) {
  AbDocument document;
  const auto base = formula(1, 1);
  const AbUnitRunner runner = [&](const AbUnitTask& task) {
    auto answer = base(task);
    if (task.side == AbSide::b && task.draw == 3) answer->record.unit->outcomes.clear();
    return answer;
  };
  const AbReport report = judged(runner, settings_with({rmse()}), document);
  EXPECT_EQ(report.cases[0].verdict, AbVerdict::worse);
  EXPECT_THAT(report.cases[0].reason, ::testing::HasSubstr("in 1 of")) << report.cases[0].reason;
}

TEST(OutcomeDecision, AnUndefinedMetricSaysWhyItIs) {
  AbDocument document;
  const auto base = formula(1, 1);
  const AbUnitRunner runner = [&](const AbUnitTask& task) {
    auto answer = base(task);
    answer->record.unit->outcomes.clear();
    if ((answer->record.unit->scored = task.score))
      answer->record.metrics = {{"accuracy_rmse_mm", Metric{std::nullopt, "mm", Better::lower, "no points"}}};
    return answer;
  };
  const AbReport report = judged(runner, settings_with({rmse()}), document);
  EXPECT_THAT(report.cases[0].outcomes[0].decision.reason, ::testing::EndsWith("units of B: no points"));
}

TEST(OutcomeDecision, WithoutTimesTheMetricsDecide) {
  AbDocument document;
  AbSettings settings = settings_with({rmse()});
  settings.wall_time = false;
  const AbReport worse = judged(formula(3, 1.2), settings, document);
  EXPECT_EQ(worse.cases[0].verdict, AbVerdict::worse);
  AbDocument second;
  EXPECT_EQ(judged(formula(3, 1), settings, second).cases[0].verdict, AbVerdict::equivalent);
}

}  // namespace
}  // namespace aqbench
