#include "metrics/neighbours/places.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace aqbench {
namespace {

TEST(Places, KeepTheFirstPointOfEachInTheirOrder) {
  const std::vector<Vec3> points = {{2, 0, 0}, {1, 0, 0}, {2, 0, 0}, {1, 0, -0.0}, {1, 0, 1}, {1, 0, 0}};
  EXPECT_THAT(first_at_each_place(points), testing::ElementsAre(Vec3(2, 0, 0), Vec3(1, 0, 0), Vec3(1, 0, 1)));
  EXPECT_TRUE(first_at_each_place({}).empty());
}

}  // namespace
}  // namespace aqbench
