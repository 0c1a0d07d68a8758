#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/gating/gate.h"
#include "tests/reports/synthetic.h"

namespace aqbench {
namespace {

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
