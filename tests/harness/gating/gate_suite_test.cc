#include <gtest/gtest.h>

#include "harness/gating/gate.h"
#include "tests/reports/synthetic.h"

namespace aqbench {
namespace {

// Cases of two suites can have the same names, and the values of one say nothing of the other.
TEST(GateSuite, ResultsOfAnotherSuiteAreNotComparable) {
  Results results = synthetic_results();
  const Baseline baseline = synthetic_baseline(results);
  EXPECT_EQ(gate(results, baseline).exit_code(), ExitCode::pass);
  results.run.suite = "pipeline";
  const GateReport report = gate(results, baseline);
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

}  // namespace
}  // namespace aqbench
