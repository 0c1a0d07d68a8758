#include "reports/content/case_groups.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace aqbench {
namespace {

std::vector<std::string> axes_in_order(std::vector<std::string> axes, unsigned seed) {
  std::shuffle(axes.begin(), axes.end(), std::mt19937(seed));
  Results results;
  for (const std::string& axis : axes) {
    Record record;
    record.scene = "undulating";
    record.method = "sparse";
    record.case_name = "undulating/sparse/" + axis;
    results.records.push_back(std::move(record));
  }
  std::vector<std::string> order;
  for (const CaseGroup& group : group_cases(results)) order.push_back(group.axes);
  return order;
}

TEST(GroupCases, StandInTheOrderOfTheNumbersInTheirNames) {
  const std::vector<std::string> expected = {"batch=1",       "batch=8",      "batch=16",     "shift_m=-0.01",
                                             "shift_m=-2e-3", "shift_m=1e-4", "shift_m=0.02", "width=320",
                                             "width=480",     "width=480/x",  "width=1200",   "width=wide"};
  for (unsigned seed = 0; seed < 50; ++seed) EXPECT_EQ(axes_in_order(expected, seed), expected);
}

// Numbers that no double holds, zeros with a sign, and numbers beside letters.
TEST(GroupCases, HaveOneOrderWhateverTheOrderOfTheRecords) {
  const std::vector<std::string> axes = {"k=-x",  "k=.5",  "k=0/a",   "k=-0/z",   "n=-1", "n=--1", "n=1",
                                         "n=1.0", "n=01",  "n=1e999", "n=1e-999", "n=2",  "n=10",  "n=x",
                                         "n=",    "n=1x2", "n=1x10",  "n=9e999",  "n=-2", "m"};
  const std::vector<std::string> order = axes_in_order(axes, 0);
  for (unsigned seed = 1; seed < 200; ++seed) ASSERT_EQ(axes_in_order(axes, seed), order);
  const auto place = [&](const char* axis) { return std::ranges::find(order, axis) - order.begin(); };
  EXPECT_LT(place("n=2"), place("n=10"));
  EXPECT_LT(place("n=10"), place("n=1e999"));
  EXPECT_LT(place("n=1x2"), place("n=1x10"));
}

}  // namespace
}  // namespace aqbench
