#include "harness/gating/verdicts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/gating/gate.h"
#include "tests/reports/synthetic.h"

namespace aqbench {
namespace {

// A share that a case lost does not hide that its mean error grew.
TEST(SortWorstFirst, AHeadlineThatIsWorseStandsBeforeAShareThatIsLost) {
  std::vector<VerdictRow> rows = {
      shown_verdict("x", "fscore_0.5mm_pct", "%", Better::higher, 40, std::nullopt),
      shown_verdict("x", "accuracy_mean_mm", "mm", Better::lower, 0.5, 2.0),
      shown_verdict("y", "accuracy_mean_mm", "mm", Better::lower, 0.5, 0.5)};
  rows[0].verdict = Verdict::undefined;
  sort_worst_first(rows);
  EXPECT_EQ(rows[0].metric, "accuracy_mean_mm");
  EXPECT_EQ(rows[0].verdict, Verdict::regressed);
  EXPECT_EQ(rows[1].verdict, Verdict::undefined);
  EXPECT_EQ(rows[2].case_name, "y");
}

// By hand: 44.5 / 5 = 8.9, 73.9 / 5 = 14.78, 207.6 / 5 = 41.5 of the tolerance of 5 %; 57.6 points of 1
// point.
TEST(SortWorstFirst, CasesAndTheirValuesStandByTheSizeOfTheChange) {
  std::vector<VerdictRow> rows = {shown_verdict("a", "camera_worst_bias_mm", "mm", Better::lower, 0.05, 4.2),
                                  shown_verdict("a", "accuracy_mean_mm", "mm", Better::lower, 1, 1.445),
                                  shown_verdict("b", "accuracy_rmse_mm", "mm", Better::lower, 1, 1.739),
                                  shown_verdict("c", "accuracy_mean_mm", "mm", Better::lower, 0.647, 1.99),
                                  shown_verdict("c", "completeness_2mm_pct", "%", Better::higher, 96, 38.4)};
  sort_worst_first(rows);
  std::vector<std::string> order;
  std::vector<double> sizes;
  for (const VerdictRow& row : rows) {
    order.push_back(row.case_name + " " + row.metric);
    sizes.push_back(change_size(row));
  }
  EXPECT_THAT(order, ::testing::ElementsAre("c completeness_2mm_pct", "c accuracy_mean_mm",
                                            "b accuracy_rmse_mm", "a accuracy_mean_mm",
                                            "a camera_worst_bias_mm"));  // which is no headline
  using ::testing::DoubleNear;
  EXPECT_THAT(
      sizes, ::testing::ElementsAre(DoubleNear(57.6, 1e-9), DoubleNear(41.515, 1e-3), DoubleNear(14.78, 1e-9),
                                    DoubleNear(8.9, 1e-9), DoubleNear(1660, 1e-6)));
}

// 61.1 points, though of its tolerance of 5 % of 0.000518 % it is two million times as much.
TEST(ChangeSize, OfAShareThatWasNearlyNothingIsInPoints) {
  VerdictRow row = shown_verdict("a", "holes_filtered_pct", "%", Better::lower, 0.000518, 61.1);
  EXPECT_NEAR(change_size(row), 61.1, 0.001);
  EXPECT_GT(row.excess, 2e6);
  row.tolerance = Tolerance{Tolerance::Kind::absolute, 10};
  EXPECT_NEAR(change_size(row), 6.11, 0.001);
  EXPECT_EQ(change_size(shown_verdict("a", "points", "points", Better::equal, 10, 20)), 0);
}

// A bunny is no plane, and with a true surface the agreement of images is no measure of quality.
TEST(Gate, DistancesToAPlaneAndAgreementDecideWhereTheyMeanSomething) {
  EXPECT_FALSE(is_judged("mesh:bunny.ply/sparse", "plane_fit_rmse_mm", true));
  EXPECT_FALSE(is_judged("undulating/sparse", "plane_fit_max_mm", true));
  EXPECT_TRUE(is_judged("flat_plane/sparse", "plane_fit_rmse_mm", true));
  EXPECT_FALSE(is_judged("dataset:ship/sparse", "photometric_zncc_median", true));
  EXPECT_TRUE(is_judged("dataset:ship/sparse", "photometric_zncc_median", false));
  Results results = synthetic_results();
  Record& record = results.records[0];
  record.case_name = "bunny/sparse";
  record.metrics.emplace_back("plane_fit_rmse_mm", Metric{10.0, "mm", Better::lower, ""});
  record.metrics.emplace_back("photometric_zncc_median", Metric{0.8, "1", Better::higher, ""});
  Baseline baseline = synthetic_baseline(results);
  record.metrics[record.metrics.size() - 2].second.value = 50;
  record.metrics.back().second.value = 0.1;
  EXPECT_EQ(gate(results, baseline).exit_code(), ExitCode::pass);
  for (BaselineCase& one : baseline.cases)
    for (auto& [name, metric] : one.metrics)
      if (name == "plane_fit_rmse_mm") metric.tolerance.value = 0.1;  // a tolerance that is given
  EXPECT_EQ(gate(results, baseline).exit_code(), ExitCode::regression);
}

}  // namespace
}  // namespace aqbench
