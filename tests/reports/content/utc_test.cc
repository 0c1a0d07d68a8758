#include "reports/content/utc.h"

#include <gtest/gtest.h>

namespace aqbench {
namespace {

TEST(SecondsOfUtc, AreThoseSince1970) {
  EXPECT_EQ(seconds_of_utc("1970-01-01T00:00:00Z"), 0);
  EXPECT_EQ(seconds_of_utc("2026-01-31T12:00:00Z"), 1769860800);
  EXPECT_EQ(seconds_of_utc("2028-02-29T23:59:59Z"), 1835481599) << "a leap year";
}

TEST(SecondsOfUtc, AreThoseOfNothingElse) {
  for (const char* const wrong :
       {"", "2026-02-30T12:00:00Z", "2026-02-29T12:00:00Z", "2026-04-31T12:00:00Z", "2026-01-31T12:00:60Z",
        "2026-1-31T12:00:00Z", " 2026-01-31T12:00:00Z", "2026-01-31T12:00:00", "2026-01-31T12:00:00Zz",
        "2026-01-31 12:00:00Z", "+026-01-31T12:00:00Z", "99999-01-01T00:00:00Z"})
    EXPECT_FALSE(seconds_of_utc(wrong)) << wrong;
}

}  // namespace
}  // namespace aqbench
