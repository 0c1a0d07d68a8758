#include "core/text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace aqbench {
namespace {

TEST(OneLine, HasNoBreaksAndIsUtf8) {
  EXPECT_EQ(one_line("a\nb\t\tc\r\n"), "a b c");
  EXPECT_EQ(one_line("caf\xC3\xA9"), "caf\xC3\xA9");
  EXPECT_EQ(one_line("bad \xFF\xC3 end"), "bad ?? end");
  EXPECT_EQ(one_line("\xED\xA0\x80"), "???") << "a surrogate is not UTF-8";
  EXPECT_EQ(one_line("\xC0\xAF"), "??") << "an overlong form is not UTF-8";
}

TEST(OneLine, CutsAtACharactersBorder) {
  EXPECT_EQ(one_line("0123456789", 8), "01234...");
  EXPECT_EQ(one_line("0123456789", 10), "0123456789");
  const std::string cut = one_line("aaaa\xC3\xA9\xC3\xA9\xC3\xA9", 8);
  EXPECT_EQ(cut, "aaaa...");
  for (std::size_t limit = 4; limit < 40; ++limit)
    EXPECT_TRUE(
        is_valid_utf8(one_line(std::string(30, 'x') + "\xE2\x82\xAC\xE2\x82\xAC\xE2\x82\xAC", limit)));
}

TEST(UtcNow, IsIso8601) {
  EXPECT_THAT(utc_now(),
              testing::MatchesRegex("20[0-9][0-9]-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-6][0-9]Z"));
}

TEST(Glob, MatchesWholeNamesAcrossSlashes) {
  EXPECT_TRUE(glob_matches("*", "undulating/roma_like/seed=42"));
  EXPECT_TRUE(glob_matches("*/roma_like/*", "undulating/roma_like/seed=42"));
  EXPECT_TRUE(glob_matches("undulating/roma_like/seed=4?", "undulating/roma_like/seed=42"));
  EXPECT_FALSE(glob_matches("roma_like", "undulating/roma_like/seed=42"));
  EXPECT_FALSE(glob_matches("undulating", "undulating2"));
  EXPECT_TRUE(has_wildcard("flat_*"));
  EXPECT_FALSE(has_wildcard("flat_plane"));
}

}  // namespace
}  // namespace aqbench
