#include "harness/gating/gate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/sha256.h"
#include "tests/reports/synthetic.h"

namespace aqbench {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The verdict on one metric of one case, everything else unchanged.
VerdictRow verdict_on(double baseline_value, Better better, Tolerance tolerance,
                      std::optional<double> current) {
  static const Results accepted = synthetic_results();
  static const Baseline accepted_baseline = synthetic_baseline(accepted);
  Results results = accepted;
  Baseline baseline = accepted_baseline;
  baseline.cases[0].metrics[0].second = {baseline_value, better, tolerance};
  metric_of(results.records[0], "accuracy_mean_mm") = {current, "mm", better, "the cloud is empty"};
  const Verdicts report = gate(results, baseline);
  const auto row = std::ranges::find_if(report.rows, [&](const VerdictRow& candidate) {
    return candidate.case_name == baseline.cases[0].name && candidate.metric == "accuracy_mean_mm";
  });
  EXPECT_NE(row, report.rows.end());
  const bool good = row->verdict == Verdict::pass || row->verdict == Verdict::improved;
  EXPECT_EQ(report.exit_code(), good ? ExitCode::pass : ExitCode::regression);
  return *row;
}

constexpr Tolerance kFivePercent{Tolerance::Kind::relative, 0.05};
constexpr Tolerance relative(double share) { return {Tolerance::Kind::relative, share}; }
constexpr Tolerance absolute(double amount) { return {Tolerance::Kind::absolute, amount}; }

TEST(Gate, TheSameValuesPass) {
  const Results results = synthetic_results();
  const Verdicts report = gate(results, synthetic_baseline(results));
  EXPECT_EQ(report.exit_code(), ExitCode::pass);
  EXPECT_EQ(report.count(Verdict::pass), 4u * 8u);  // and the points, which are information
  EXPECT_EQ(report.count(Verdict::added), 4u);      // the undefined metric, which no baseline has
  EXPECT_EQ(report.rows.size(), 40u);
}

// A gate that decided nothing must not look like one that passed.
TEST(Gate, WhatDecidesNothingIsNotComparable) {
  const Results results = synthetic_results();
  Baseline baseline = synthetic_baseline(results);
  for (BaselineCase& one : baseline.cases)
    std::erase_if(one.metrics, [](const auto& metric) { return metric.first != "points"; });
  const Verdicts shown = gate(results, baseline);
  EXPECT_EQ(shown.exit_code(), ExitCode::not_comparable);
  EXPECT_EQ(shown.refusal, "nothing was gated: all values are new or only shown");
  Results failed = results;
  failed.records[0].status = Status::failed;
  EXPECT_EQ(gate(failed, baseline).exit_code(), ExitCode::case_failed);
}

// Of a large run what passes is counted without rows; a regression among it has its row.
TEST(Gate, PassesOfALargeRunAreCounted) {
  const Record like = synthetic_record("flat_plane", "roma_like", 42, 0.8);
  Results results = synthetic_results();
  results.records.clear();
  for (std::size_t i = 0; i <= kMaxCasesListed; ++i) {
    Record record;
    record.case_name = "case " + std::to_string(i);
    record.scene = like.scene;
    record.method = like.method;
    record.status = Status::ok;
    record.metrics = {like.metrics.front()};
    results.records.push_back(std::move(record));
  }
  const Baseline baseline = synthetic_baseline(results);
  results.records[7].metrics.front().second.value = 1e6;
  const Verdicts report = gate(results, baseline);
  EXPECT_EQ(report.exit_code(), ExitCode::regression);
  EXPECT_EQ(report.rows.size(), 1u);
  EXPECT_EQ(report.rows.front().case_name, "case 7");
  EXPECT_EQ(report.count(Verdict::pass), kMaxCasesListed);
  EXPECT_EQ(report.count(Verdict::regressed), 1u);
}

TEST(Gate, ToleranceIsInclusiveWhateverTheNumber) {
  constexpr auto kLower = Better::lower, kHigher = Better::higher, kEqual = Better::equal;
  constexpr auto kPass = Verdict::pass, kRegressed = Verdict::regressed, kImproved = Verdict::improved;
  const struct {
    Better better;
    double factor;
    Verdict verdict;
  } rows[] = {{kLower, 1.051, kRegressed},     {kLower, 1.05, kPass},       {kLower, 1.049, kPass},
              {kLower, 1.0500001, kRegressed}, {kLower, 0.949, kImproved},  {kLower, 0.951, kPass},
              {kHigher, 0.949, kRegressed},    {kHigher, 0.95, kPass},      {kHigher, 1.2, kImproved},
              {kEqual, 0.949, kRegressed},     {kEqual, 1.051, kRegressed}, {kEqual, 1.05, kPass}};
  for (const double value : {0.79, 1.0, 1.53, 0.1, 0.3, 1e-9, 123456.789, 7.0 / 3, 95.25})
    for (const auto& [better, factor, verdict] : rows)
      EXPECT_EQ(verdict_on(value, better, kFivePercent, value * factor).verdict, verdict)
          << value << " x " << factor;
}

// Every two-decimal value at exactly its limit, as decimals give it.
TEST(Gate, ExactlyAtTheLimitInDecimalsPasses) {
  for (int hundredths = 1; hundredths < 2000; ++hundredths) {
    const double value = hundredths / 100.0;
    const double limit = hundredths * 105 / 10000.0, beyond = (hundredths * 105 + 1) / 10000.0;
    ASSERT_EQ(verdict_on(value, Better::lower, kFivePercent, limit).verdict, Verdict::pass) << value;
    ASSERT_EQ(verdict_on(value, Better::lower, kFivePercent, beyond).verdict, Verdict::regressed) << value;
    if (hundredths > 200) break;  // the rest adds nothing but time
  }
  EXPECT_EQ(verdict_on(95.25, Better::higher, absolute(0.1), 95.15).verdict, Verdict::pass);
  EXPECT_EQ(verdict_on(95.25, Better::higher, absolute(0.1), 95.149).verdict, Verdict::regressed);
  EXPECT_EQ(verdict_on(-0.012, Better::equal, absolute(0.1), 0.088).verdict, Verdict::pass);
  EXPECT_EQ(verdict_on(-0.012, Better::equal, absolute(0.1), 0.0881).verdict, Verdict::regressed);
}

// A count and an extreme are shown; another tolerance than the usual one makes them gate.
TEST(Gate, CountsAndExtremesAreInformationUnlessTheirToleranceIsChosen) {
  Results results = synthetic_results();
  Baseline baseline = synthetic_baseline(results);
  const auto add = [&](const char* name, const char* unit, double accepted, double now, Tolerance tolerance) {
    baseline.cases[0].metrics.emplace_back(name, BaselineMetric{accepted, Better::equal, tolerance});
    const std::string& case_name = baseline.cases[0].name;
    const auto record = std::ranges::find(results.records, case_name, &Record::case_name);
    record->metrics.emplace_back(name, Metric{now, unit, Better::equal, ""});
  };
  add("points_of_something", "points", 1000, 990, absolute(0));
  add("depth_max_mm", "mm", 4, 9, relative(0.05));
  const Verdicts report = gate(results, baseline);
  EXPECT_EQ(report.exit_code(), ExitCode::pass);
  const auto points = std::ranges::find(report.rows, "points_of_something", &VerdictRow::metric);
  ASSERT_NE(points, report.rows.end());
  EXPECT_TRUE(points->only_shown);
  EXPECT_EQ(points->reason, "changed, not gated");
  EXPECT_FALSE(points->tolerance) << "an information has no limit that it could keep";
  baseline.cases[0].metrics.back().second.tolerance = relative(0.1);
  EXPECT_EQ(gate(results, baseline).exit_code(), ExitCode::regression);
}

TEST(Gate, RowsStandByCaseTheCauseFirst) {
  Results results = synthetic_results();
  const Baseline baseline = synthetic_baseline(results);
  for (std::size_t i : {0, 1})
    for (const char* name : {"accuracy_rmse_mm", "accuracy_mean_mm"})
      *metric_of(results.records[i], name).value *= 2;
  *metric_of(results.records[1], "accuracy_rmse_mm").value *= 3;
  const Verdicts report = gate(results, baseline);
  EXPECT_EQ(report.rows[0].case_name, results.records[1].case_name);
  EXPECT_EQ(report.rows[0].metric, "accuracy_rmse_mm");  // 6 x, beside 2 x
  EXPECT_EQ(report.rows[1].case_name, report.rows[0].case_name);
  EXPECT_EQ(report.rows[2].metric, "accuracy_mean_mm");  // of two equal changes the first headline
  EXPECT_EQ(report.rows[2].case_name, results.records[0].case_name);
}

TEST(Gate, ANegativeBaselineHasATolerance) {
  EXPECT_EQ(verdict_on(-2, Better::lower, kFivePercent, -1.91).verdict, Verdict::pass);
  EXPECT_EQ(verdict_on(-2, Better::lower, kFivePercent, -1.89).verdict, Verdict::regressed);
}

TEST(Gate, ToleranceZeroMeansTheSameBits) {
  const double value = 0.79788456080286535;
  for (const Tolerance tolerance : {relative(0), absolute(0)}) {
    EXPECT_EQ(verdict_on(value, Better::lower, tolerance, value).verdict, Verdict::pass);
    EXPECT_EQ(verdict_on(value, Better::lower, tolerance, std::nextafter(value, 1)).verdict,
              Verdict::regressed);
    EXPECT_EQ(verdict_on(value, Better::lower, tolerance, std::nextafter(value, 0)).verdict,
              Verdict::improved);
    EXPECT_EQ(verdict_on(value, Better::equal, tolerance, std::nextafter(value, 0)).verdict,
              Verdict::regressed);
  }
}

TEST(Gate, AZeroBaselineHasNoShare) {
  EXPECT_EQ(verdict_on(0, Better::lower, kFivePercent, 0).verdict, Verdict::pass);
  const VerdictRow row = verdict_on(0, Better::lower, kFivePercent, 1e-12);
  EXPECT_EQ(row.verdict, Verdict::undefined);
  EXPECT_THAT(row.reason, ::testing::HasSubstr("baseline of 0"));
  EXPECT_EQ(verdict_on(0, Better::lower, absolute(0.1), 0.1).verdict, Verdict::pass);
  EXPECT_EQ(verdict_on(0, Better::lower, absolute(0.1), 0.11).verdict, Verdict::regressed);
}

TEST(Gate, UndefinedNeverPasses) {
  const VerdictRow row = verdict_on(0.79, Better::lower, kFivePercent, std::nullopt);
  EXPECT_EQ(row.verdict, Verdict::undefined);
  EXPECT_EQ(row.reason, "the cloud is empty");
  for (const double value : {kNaN, kInfinity, -kInfinity})
    EXPECT_EQ(verdict_on(0.79, Better::lower, kFivePercent, value).verdict, Verdict::undefined);
}

TEST(Gate, HugeValuesDoNotOverflowIntoAPass) {
  EXPECT_EQ(verdict_on(-1e308, Better::lower, kFivePercent, 1.7e308).verdict, Verdict::regressed);
  EXPECT_EQ(verdict_on(0.79, Better::lower, kFivePercent, 1e308).verdict, Verdict::regressed);
}

TEST(Gate, MissingAndFailedNeverPass) {
  const Baseline baseline = synthetic_baseline(synthetic_results());
  Results results = synthetic_results();
  results.records.erase(results.records.begin());
  EXPECT_EQ(gate(results, baseline).exit_code(), ExitCode::regression);
  EXPECT_EQ(gate(results, baseline).rows[0].verdict, Verdict::missing);

  results = synthetic_results();
  results.records[0].metrics.erase(results.records[0].metrics.begin());
  EXPECT_EQ(gate(results, baseline).exit_code(), ExitCode::regression);
  EXPECT_EQ(gate(results, baseline).rows[0].metric, "accuracy_mean_mm");

  for (const Status status : {Status::failed, Status::crashed, Status::timeout}) {
    results = synthetic_results();
    results.records[2].status = status;
    results.records[2].reason = "why";
    const Verdicts report = gate(results, baseline);
    EXPECT_EQ(report.exit_code(), ExitCode::case_failed);
    EXPECT_EQ(report.rows[0].verdict, Verdict::failed_case);
    EXPECT_EQ(report.rows[0].reason, to_string(status) + ": why");
  }
  results.records[2].status = Status::skipped;
  EXPECT_EQ(gate(results, baseline).exit_code(), ExitCode::regression);
  results.records.clear();
  EXPECT_EQ(gate(results, baseline).count(Verdict::missing), 4u);
  EXPECT_EQ(gate(results, baseline).exit_code(), ExitCode::regression);
}

TEST(Gate, AMetricThatTurnedItsDirectionIsNotComparable) {
  Results results = synthetic_results();
  Baseline baseline = synthetic_baseline(results);
  baseline.cases[0].metrics[0].second.better = Better::higher;
  EXPECT_EQ(gate(results, baseline).exit_code(), ExitCode::not_comparable);
  baseline.cases[0].metrics[0].second.better = Better::equal;  // stricter, by choice of who reviews the file
  EXPECT_EQ(gate(results, baseline).exit_code(), ExitCode::pass);
}

TEST(Gate, NewCasesAndMetricsAreSaidAndNotGated) {
  Results results = synthetic_results();
  const Baseline baseline = synthetic_baseline(results);
  results.records.push_back(synthetic_record("mound", "roma_like", 42, 1));
  const Verdicts report = gate(results, baseline);
  EXPECT_EQ(report.exit_code(), ExitCode::pass);
  EXPECT_EQ(report.count(Verdict::added), 5u);
  EXPECT_EQ(std::ranges::find(report.rows, "mound/roma_like/seed=42", &VerdictRow::case_name)->reason,
            "no baseline: not gated");
}

TEST(Gate, ABaselineThatGatesNothingIsNotComparable) {
  const Results results = synthetic_results();
  Baseline baseline = synthetic_baseline(results);
  baseline.cases[1].metrics.clear();
  const Verdicts one = gate(results, baseline);
  EXPECT_EQ(one.exit_code(), ExitCode::not_comparable);
  EXPECT_EQ(one.rows.front().reason, "the baseline has no metric of this case: nothing is gated");
  EXPECT_EQ(one.count(Verdict::pass), 3u * 8u);
  for (BaselineCase& baseline_case : baseline.cases) baseline_case.metrics.clear();
  const Verdicts none = gate(results, baseline);
  EXPECT_EQ(none.exit_code(), ExitCode::not_comparable);
  EXPECT_EQ(none.refusal, "the baseline gates nothing: none of its cases has a metric");
}

TEST(Gate, ACaseWithoutABaselineThatFailsIsAFailure) {
  const Baseline baseline = synthetic_baseline(synthetic_results());
  for (const Status status : {Status::failed, Status::crashed, Status::timeout}) {
    Results results = synthetic_results();
    results.records.push_back(synthetic_record("mound", "roma_like", 42, 1));
    results.records.back().status = status;
    results.records.back().reason = "why";
    const Verdicts report = gate(results, baseline);
    EXPECT_EQ(report.exit_code(), ExitCode::case_failed);
    EXPECT_EQ(report.rows[0].verdict, Verdict::failed_case);
    EXPECT_EQ(report.rows[0].case_name, "mound/roma_like/seed=42");
    EXPECT_EQ(report.rows[0].reason, to_string(status) + ": why (no baseline)");
    EXPECT_EQ(report.count(Verdict::failed_case), 1u);
  }
  Results results = synthetic_results();
  results.records.push_back(synthetic_record("mound", "roma_like", 42, 1));
  results.records.back().status = Status::skipped;
  results.records.back().reason = "no CUDA device";
  EXPECT_EQ(gate(results, baseline).exit_code(), ExitCode::pass);
  EXPECT_THAT(gate(results, baseline).rows,
              ::testing::Contains(
                  ::testing::Field(&VerdictRow::reason, ::testing::HasSubstr("skipped: no CUDA device"))));
}

// Files that are scored have no times: a second run of the same file may have the same records.
TEST(Gate, ASecondRunWithoutTimesIsNoComparisonWithItself) {
  Results results = synthetic_results();
  for (Record& record : results.records) record.timing = {};
  Baseline baseline = synthetic_baseline(results);
  baseline.accepted_results_sha256 = sha256_hex(results_text(results));
  baseline.accepted_root_digest = root_digest(results);
  EXPECT_EQ(gate(results, baseline).exit_code(), ExitCode::not_comparable);
  results.run.finished_utc = "2025-05-21T10:11:12Z";
  EXPECT_EQ(gate(results, baseline).exit_code(), ExitCode::pass);
}

TEST(Gate, AComparisonWithItselfIsRefused) {
  const Results results = synthetic_results();
  Baseline baseline = synthetic_baseline(results);
  baseline.accepted_results_sha256 = sha256_hex(results_text(results));
  const Verdicts report = gate(results, baseline);
  EXPECT_EQ(report.exit_code(), ExitCode::not_comparable);
  EXPECT_TRUE(report.rows.empty());
  EXPECT_THAT(report.refusal, ::testing::HasSubstr("self comparison"));
  Results again = results;
  again.run.finished_utc = "2025-05-21T10:11:12Z";  // the same run, finalised again
  EXPECT_EQ(gate(again, baseline).exit_code(), ExitCode::pass);
  baseline.accepted_root_digest = root_digest(results);
  EXPECT_EQ(gate(again, baseline).exit_code(), ExitCode::not_comparable);
  again.records[0].timing.cold_ms = 12.875;
  again.run.started_utc = "2025-05-21T10:11:12Z";  // a second run with the same numbers is a comparison
  EXPECT_EQ(gate(again, baseline).exit_code(), ExitCode::pass);
}

TEST(Gate, TheGravestExitCodeWins) {
  Results results = synthetic_results();
  const Baseline baseline = synthetic_baseline(results);
  metric_of(results.records[0], "accuracy_mean_mm").value = 99;
  EXPECT_EQ(gate(results, baseline).exit_code(), ExitCode::regression);
  results.records[1].options.clear();
  EXPECT_EQ(gate(results, baseline).exit_code(), ExitCode::not_comparable);
  results.records[2].status = Status::crashed;
  EXPECT_EQ(gate(results, baseline).exit_code(), ExitCode::case_failed);
}

}  // namespace
}  // namespace aqbench
