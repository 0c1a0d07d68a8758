#include "harness/running/time_left.h"

#include <gtest/gtest.h>

namespace aqbench {
namespace {

Case planned(const std::string& name, const std::string& scene, const std::string& method, int width_px = 0) {
  Case one;
  one.name = name;
  one.scene = scene;
  one.method = method;
  if (width_px > 0) {
    one.images = CaseImages{};
    one.images->width_px = width_px;
  }
  return one;
}

TEST(TimeLeft, IsUnknownBeforeTheFirstEnd) {
  const Case a = planned("s/m/seed=1", "s", "m");
  TimeLeft time;
  time.begin(a, 0);
  EXPECT_EQ(time.seconds(std::vector<const Case*>{&a}, 5), std::nullopt);
}

// One slow method of two: an even share of all cases would say 11 s for each.
TEST(TimeLeft, TakesEachMethodAsItsEarlierCases) {
  const Case quick = planned("a/quick/seed=1", "a", "quick"), slow = planned("a/slow/seed=1", "a", "slow"),
             next_quick = planned("b/quick/seed=2", "b", "quick"),
             next_slow = planned("b/slow/seed=2", "b", "slow");
  TimeLeft time;
  time.begin(quick, 0), time.end(2);
  time.begin(slow, 2), time.end(22);
  time.begin(next_quick, 22);
  EXPECT_DOUBLE_EQ(time.seconds(std::vector<const Case*>{&next_slow, &next_quick}, 23).value(), 21);
  const Case other = planned("b/other/seed=2", "b", "other");
  EXPECT_DOUBLE_EQ(time.seconds(std::vector<const Case*>{&other}, 23).value(), 11);  // the mean of all
}

TEST(TimeLeft, GrowsWithTheImages) {
  const Case small = planned("a/m/seed=1/width=320", "a", "m", 320),
             large = planned("a/m/seed=1/width=960", "a", "m", 960);
  TimeLeft time;
  time.begin(small, 0), time.end(3);
  EXPECT_DOUBLE_EQ(time.seconds(std::vector<const Case*>{&large}, 3).value(), 27);
}

// The case reaches its stage twice as late as the one before, with 6 of its 10 s behind it.
TEST(TimeLeft, FollowsTheStages) {
  const Case first = planned("a/m/seed=1", "a", "m"), second = planned("b/m/seed=1", "b", "m");
  TimeLeft time;
  time.begin(first, 0), time.stage("fusion", 6), time.end(10);
  time.begin(second, 10);
  const std::vector<const Case*> left = {&second};
  EXPECT_DOUBLE_EQ(time.seconds(left, 12).value(), 8);
  time.stage("fusion", 22);
  EXPECT_DOUBLE_EQ(time.seconds(left, 22).value(), 4 * 1.6);
  EXPECT_DOUBLE_EQ(time.seconds(left, 40).value(), 0);
}

// Images that had to be rendered, where the case before found them, do not make all of the case five times as
// long.
TEST(TimeLeft, AnEarlyStageSaysLittleOfTheRest) {
  const Case first = planned("a/m/seed=1", "a", "m"), second = planned("b/m/seed=1", "b", "m");
  TimeLeft time;
  time.begin(first, 0), time.stage("cold", 1), time.end(10);
  time.begin(second, 10), time.stage("cold", 15);
  EXPECT_DOUBLE_EQ(time.seconds(std::vector<const Case*>{&second}, 15).value(), 9 * 1.4);
}

}  // namespace
}  // namespace aqbench
