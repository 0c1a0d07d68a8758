#include "metrics/value_change.h"

#include <gtest/gtest.h>

#include <cmath>

namespace aqbench {
namespace {

TEST(ValueChange, HasTheSignOfTheDifferenceAndTheWordOfTheDirection) {
  EXPECT_EQ(worsening(Better::lower, 1, 2), 1);
  EXPECT_EQ(worsening(Better::higher, 1, 2), -1);
  EXPECT_EQ(worsening(Better::lower, 2, 2), 0);
  EXPECT_EQ(worsening(Better::lower, 1, std::nan("")), 0);
  EXPECT_EQ(change_text(Better::lower, 2, 2.1), "+5 %");
  EXPECT_EQ(change_text(Better::higher, -2, -1.9), "+5 %");  // upwards, though the quotient fell
  EXPECT_EQ(change_text(Better::lower, 0, 0.25), "+0.25");
  EXPECT_STREQ(change_word(1), "worse");
  EXPECT_STREQ(change_word(-1), "better");
  EXPECT_DOUBLE_EQ(worsening_share(Better::higher, -2, -2.5), 0.25);
  EXPECT_DOUBLE_EQ(worsening_share(Better::lower, 2, 1), -0.5);
}

TEST(ValueChange, OfABiasIsADifferenceAndNeitherWorseNorBetter) {
  for (const double after : {-0.3, 0.3}) EXPECT_EQ(worsening(Better::equal, -0.2, after), 0);
  EXPECT_EQ(change_text(Better::equal, -0.2, -0.3), "-0.1");
  EXPECT_EQ(change_text(Better::equal, -0.2, 0.3), "+0.5");
  EXPECT_STREQ(change_word(0), "other");
  EXPECT_EQ(worsening_share(Better::equal, -0.2, 0.3), 0);
}

}  // namespace
}  // namespace aqbench
