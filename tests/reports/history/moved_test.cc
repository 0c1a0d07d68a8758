#include "reports/history/moved.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <utility>

#include "tests/reports/synthetic.h"

namespace aqbench {
namespace {

TEST(Moved, TheLargestChangeForTheWorseComesFirst) {
  const Results a = synthetic_results();
  Results b = a;
  for (const auto& [record, times] : {std::pair{0, 3.0}, {1, 2.0}}) {
    Metric& metric = metric_of(b.records[static_cast<std::size_t>(record)], "accuracy_mean_mm");
    metric.value = times * *metric.value;
  }
  metric_of(b.records[2], "accuracy_mean_mm").value.reset();
  const Verdicts verdicts = verdicts_of(compare_results(a, b));
  ASSERT_EQ(verdicts.rows.size(), 3u);
  EXPECT_EQ(verdicts.rows[0].case_name, b.records[2].case_name);  // a value that is lost
  EXPECT_EQ(verdicts.rows[1].case_name, b.records[0].case_name);
  EXPECT_EQ(verdicts.rows[2].case_name, b.records[1].case_name);
  EXPECT_EQ(verdicts.rows[2].label, "worse");
  EXPECT_TRUE(verdicts_of(compare_results(a, a)).rows.empty());
}

}  // namespace
}  // namespace aqbench
