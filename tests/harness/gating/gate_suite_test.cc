#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "harness/gating/accept.h"
#include "harness/gating/gate.h"
#include "reports/bundle/gate_input.h"
#include "tests/reports/synthetic.h"
#include "tests/temporary_directory.h"

namespace aqbench {
namespace {

// Cases of two suites can have the same names, and the values of one say nothing of the other.
TEST(GateSuite, ResultsOfAnotherSuiteAreNotComparable) {
  Results results = synthetic_results();
  const Baseline baseline = synthetic_baseline(results);
  EXPECT_EQ(gate(results, baseline).exit_code(), ExitCode::pass);
  results.run.suite = "pipeline";
  const Verdicts report = gate(results, baseline);
  EXPECT_EQ(report.exit_code(), ExitCode::not_comparable);
  EXPECT_EQ(report.refusal, "the results are of another suite than the baseline");
  EXPECT_TRUE(report.rows.empty());
  results.run.suite = "";
  EXPECT_EQ(gate(results, baseline).exit_code(), ExitCode::pass) << "what was asked for without a suite";
}

// A count is only shown while it has a value.
TEST(GateSuite, ACountThatIsUndefinedFails) {
  Results results = synthetic_results();
  Baseline baseline = synthetic_baseline(results);
  baseline.cases[0].metrics.emplace_back("points_of_something",
                                         BaselineMetric{9, Better::equal, {Tolerance::Kind::absolute, 0}});
  results.records[0].metrics.emplace_back("points_of_something", Metric{{}, "points", Better::equal, "lost"});
  EXPECT_EQ(gate(results, baseline).exit_code(), ExitCode::regression);
}

// 0.50 is further from 1 than 0.98 is; a bias that comes closer to 0 is better, wherever it came from.
TEST(GateSuite, AMetricWithAnIdealIsJudgedByItsDistance) {
  const auto verdict = [](const char* name, double accepted, double now, double tolerance) {
    Results results = synthetic_results();
    Baseline baseline = synthetic_baseline(results);
    const auto record = std::ranges::find(results.records, baseline.cases[0].name, &Record::case_name);
    std::erase_if(baseline.cases[0].metrics, [&](const auto& metric) { return metric.first == name; });
    std::erase_if(record->metrics, [&](const auto& metric) { return metric.first == name; });
    baseline.cases[0].metrics.emplace_back(
        name, BaselineMetric{accepted, Better::equal, Tolerance{Tolerance::Kind::absolute, tolerance}});
    record->metrics.emplace_back(name, Metric{now, "mm", Better::equal, ""});
    for (const VerdictRow& row : gate(results, baseline).rows)
      if (row.metric == name) return row.verdict;
    return Verdict::missing;
  };
  EXPECT_EQ(verdict("mesh_area_ratio", 0.98, 0.50, 0.02), Verdict::regressed);
  EXPECT_EQ(verdict("mesh_area_ratio", 1.4, 1.01, 0.02), Verdict::improved);
  EXPECT_EQ(verdict("bias_mean_mm", -0.02, -4.40, 0.1), Verdict::regressed);
  EXPECT_EQ(verdict("bias_mean_mm", -4.40, 0.02, 0.1), Verdict::improved);
  EXPECT_EQ(verdict("bias_mean_mm", 3, -3.05, 0.1), Verdict::pass);
  EXPECT_EQ(verdict("mesh_boundary_mm", 4, 3, 0.1), Verdict::regressed);  // without an ideal any change fails
}

// A count is shown and not gated, unless its metric is named: also with the tolerance that it has anyway.
TEST(GateSuite, AMetricThatAcceptNamesGates) {
  const TemporaryDirectory folder;
  const std::filesystem::path file = folder / "seed.json";
  Results accepted_results = synthetic_results();
  AcceptedRun run = read_accepted_run(synthetic_bundle(folder.path(), accepted_results));
  Results later = accepted_results, again = accepted_results;
  later.records[0].timing.cold_ms = again.records[0].timing.cold_ms = 99;  // other runs
  for (auto& [name, metric] : later.records[0].metrics)
    if (name == "points") *metric.value -= 1;
  const auto accepted = [&] {
    accept_baseline(run, file, {.leave_out_undefined = true});
    EXPECT_EQ(gate(again, read_baseline(file)).exit_code(), ExitCode::pass);
    return gate(later, read_baseline(file)).exit_code();
  };
  EXPECT_EQ(accepted(), ExitCode::pass);
  run.tolerances = {{"points", Tolerance{Tolerance::Kind::absolute, 0}}};
  EXPECT_EQ(accepted(), ExitCode::regression);
  run.tolerances.clear();  // what the file says stays
  EXPECT_EQ(accepted(), ExitCode::regression);
}

}  // namespace
}  // namespace aqbench
