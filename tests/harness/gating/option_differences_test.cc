#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "harness/gating/gate.h"
#include "tests/reports/synthetic.h"

namespace aqbench {
namespace {

TEST(Gate, OtherOptionsAreNotComparableWithBothValuesNamed) {
  const Baseline baseline = synthetic_baseline(synthetic_results());
  const auto reason = [&](const std::function<void(Record&)>& change) {
    Results results = synthetic_results();
    change(results.records[1]);
    const Verdicts report = gate(results, baseline);
    EXPECT_EQ(report.exit_code(), ExitCode::not_comparable);
    EXPECT_EQ(report.rows[0].verdict, Verdict::not_comparable);
    EXPECT_EQ(report.count(Verdict::pass), 27u);  // the other three cases are still judged
    return report.rows[0].reason;
  };
  EXPECT_EQ(reason([](Record& r) { r.options[1].second = std::int64_t{2000}; }),
            "option roma_like.points is 2000, baseline 3000");
  EXPECT_EQ(reason([](Record& r) { r.options[1].second = std::string("3000"); }),
            "option roma_like.points is 3000, baseline 3000");
  EXPECT_EQ(reason([](Record& r) { r.options.pop_back(); }),
            "option roma_like.points is absent, baseline 3000");
  EXPECT_EQ(reason([](Record& r) { r.options.emplace_back("x.y", 0.5); }),
            "option x.y is 0.5, absent in the baseline");
}

TEST(Gate, AWholeNumberIsTheSameAsTextOrBinary) {
  Results results = synthetic_results();
  const Baseline baseline = synthetic_baseline(results);
  results.records[1].options[1].second = 3000.0;
  std::ranges::reverse(results.records[1].options);
  EXPECT_EQ(gate(results, baseline).exit_code(), ExitCode::pass);
}

TEST(Gate, AnOptionAtItsDefaultIsNoDifferenceToABaselineThatLacksIt) {
  const Baseline baseline = synthetic_baseline(synthetic_results());
  Results results = synthetic_results();
  Record& record = results.records[1];
  record.defaults = {{"roma_like.added_later", 0.5}};
  EXPECT_EQ(gate(results, baseline).exit_code(), ExitCode::pass);
  record.defaults.push_back(record.options[1]);  // as in a baseline that lists defaults, too
  record.options.pop_back();
  EXPECT_EQ(gate(results, baseline).exit_code(), ExitCode::pass);
  record.defaults[1].second = std::int64_t{2000};
  EXPECT_EQ(gate(results, baseline).rows[0].reason, "option roma_like.points is 2000, baseline 3000");
}

TEST(Gate, OptionsOfTwoRunsAreComparedWhateverTheirDefaultsAre) {
  const NamedValues none, five = {{"a.b", 5.0}}, six = {{"a.b", 6.0}};
  EXPECT_THAT(option_differences({none, five}, {none, none}), testing::IsEmpty());
  EXPECT_THAT(option_differences({none, none}, {none, five}), testing::IsEmpty());
  EXPECT_THAT(option_differences({five, none}, {none, five}), testing::IsEmpty())
      << "it has become the default";
  EXPECT_THAT(option_differences({none, five}, {five, none}), testing::IsEmpty());
  EXPECT_THAT(option_differences({none, five}, {six, none}),
              testing::ElementsAre("option a.b is 6, 5 in the baseline"));
  EXPECT_THAT(option_differences({none, none}, {six, none}),
              testing::ElementsAre("option a.b is 6, absent in the baseline"));
  EXPECT_THAT(option_differences({six, none}, {none, five}),
              testing::ElementsAre("option a.b is 5, baseline 6"));
}

}  // namespace
}  // namespace aqbench
