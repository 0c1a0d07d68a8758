#include "core/json_box.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace aqbench {
namespace {

TEST(JsonBox, IsAnEmptyObjectAndHoldsWhatItIsGiven) {
  const JsonBox empty;
  EXPECT_EQ((*empty).dump(), "{}");
  JsonBox box = Json{{"cores", 2}};
  const JsonBox copy = box;
  EXPECT_EQ(copy->at("cores"), 2);
  EXPECT_EQ(copy, box);
  box = Json{{"cores", 4}};
  EXPECT_EQ(copy->at("cores"), 2);
  EXPECT_NE(copy, box);
}

}  // namespace
}  // namespace aqbench
