#include "reports/history/moved.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <utility>

#include "tests/reports/synthetic.h"

namespace aqbench {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(Moved, OneTableServesAllPages) {
  const Results a = synthetic_results();
  Results b = a;
  for (const auto& [record, times] : {std::pair{0, 3.0}, {1, 2.0}}) {
    Metric& metric = metric_of(b.records[static_cast<std::size_t>(record)], "accuracy_mean_mm");
    metric.value = times * *metric.value;
  }
  const CompareReport report = compare_results(a, b);
  const ShortNames names = compared_names(report);
  const std::string all = moved_table(report, names, "values & more");
  EXPECT_THAT(all, HasSubstr("aria-label=\"values &amp; more\""));
  const std::string worst = "<tr title=\"" + b.records[0].case_name + "\">",
                    second = "<tr title=\"" + b.records[1].case_name + "\">";
  EXPECT_LT(all.find(worst), all.find(second));  // three times as much before twice
  EXPECT_THAT(all,
              HasSubstr("<td data-label=\"change\">3 x</td><td data-label=\"B is\" class=\"bad\">worse"));
  // A page may show a part, and lead each number to its case.
  const std::string part = moved_table(
      report, names, "values", 1, [](const std::string& name, bool of_b, const std::string& text) {
        return "<a href=\"" + name + (of_b ? "#b" : "#a") + "\">" + text + "</a>";
      });
  EXPECT_THAT(part, HasSubstr("<a href=\"" + b.records[0].case_name + "#b\">"));
  EXPECT_THAT(part, Not(HasSubstr(second)));
  EXPECT_THAT(part, HasSubstr("<p class=\"dim\">and 1 more</p>"));
  EXPECT_EQ(moved_table(compare_results(a, a), names, "values"), "");
}

}  // namespace
}  // namespace aqbench
