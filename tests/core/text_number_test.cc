#include "core/text.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

namespace aqbench {
namespace {

TEST(TextNumber, ReadsWholeWords) {
  EXPECT_EQ(parse_double("1.178"), 1.178);
  EXPECT_EQ(parse_double("+2"), 2);
  EXPECT_EQ(parse_double("-2.5e-3"), -0.0025);
  EXPECT_EQ(parse_double("inf"), std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isnan(parse_double("NaN").value()));
  EXPECT_EQ(parse_float("0.1"), 0.1f);
  for (const char* const word : {"", " 1", "1 ", "1x", "+-1", "++1", "+", "-", "1,5", "0x1p3", "one"}) {
    EXPECT_EQ(parse_double(word), std::nullopt) << word;
    EXPECT_EQ(parse_float(word), std::nullopt) << word;
  }
}

TEST(TextNumber, TooLargeIsNoneTooSmallIsZero) {
  EXPECT_EQ(parse_double("1e400"), std::nullopt);
  EXPECT_EQ(parse_double("-1e400"), std::nullopt);
  EXPECT_EQ(parse_double("1e-400"), 0.0);
  EXPECT_EQ(parse_float("1e39"), std::nullopt);
  EXPECT_EQ(parse_float("-1e-60"), 0.0f);
  EXPECT_TRUE(std::signbit(parse_float("-1e-60").value()));
  EXPECT_EQ(parse_double("0." + std::string(400, '0') + "1"), 0.0);
  EXPECT_EQ(parse_double("5e-324"), std::numeric_limits<double>::denorm_min());
}

TEST(Printable, EscapesAndCuts) {
  EXPECT_EQ(escape_bytes("plain text"), "plain text");
  EXPECT_EQ(escape_bytes(std::string("a\n\0\x7f\xff", 5)), "a\\x0a\\x00\\x7f\\xff");
  EXPECT_EQ(escape_bytes("abcdef", 3), "abc...");
  EXPECT_EQ(escape_bytes("abc", 3), "abc");
}

}  // namespace
}  // namespace aqbench
