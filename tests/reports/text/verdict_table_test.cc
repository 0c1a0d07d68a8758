#include "reports/text/verdict_table.h"

#include <gtest/gtest.h>

#include "core/text.h"
#include "tests/reports/synthetic.h"

namespace aqbench {
namespace {

TEST(VerdictTable, WorstFirstAndWithinTheScreen) {
  Results results = synthetic_results();
  const Baseline baseline = synthetic_baseline(results);
  metric_of(results.records[0], "accuracy_mean_mm").value = 1.53 * 1.10;   // twice its tolerance
  metric_of(results.records[1], "accuracy_mean_mm").value = 0.793 * 1.40;  // eight times
  metric_of(results.records[2], "precision_2mm_pct").value = 99;           // better
  metric_of(results.records[3], "accuracy_rmse_mm") = {{}, "mm", Better::lower, std::string(300, 'x')};
  results.run.complete = false;
  const Verdicts report = gate(results, baseline);
  ASSERT_GE(report.rows.size(), 4u);
  EXPECT_EQ(report.rows[0].verdict, Verdict::undefined);
  EXPECT_EQ(report.rows[1].case_name, "flat_plane/roma_like/seed=42");
  EXPECT_NEAR(report.rows[1].excess, 8, 1e-9);
  EXPECT_NEAR(report.rows[2].excess, 2, 1e-9);
  EXPECT_EQ(report.rows[3].verdict, Verdict::improved);
  const std::string text = render_verdicts(report);
  EXPECT_LT(text.find("+40 %"), text.find("+10 %"));
  EXPECT_NE(text.find("improved"), text.npos);
  EXPECT_NE(text.find("note: the run was interrupted: 4 of 4 cases"), text.npos);
  EXPECT_NE(text.find("\nFAIL: 1 of 4 cases with an undefined value, 2 worse"), text.npos) << text;
  EXPECT_EQ(text.find("fscore"), text.npos);  // what passes is counted, not listed
  EXPECT_NE(render_verdicts(report, false, true).find("F-score"), text.npos);
  EXPECT_EQ(text.find('\033'), text.npos);
  for (const std::string& shown : {text, render_verdicts(report, false, true)}) {
    std::size_t start = 0;
    for (std::size_t end = shown.find('\n'); end != shown.npos;
         start = end + 1, end = shown.find('\n', start))
      EXPECT_LE(display_width(shown.substr(start, end - start)), kScreenColumns)
          << shown.substr(start, end - start);
  }
}

}  // namespace
}  // namespace aqbench
