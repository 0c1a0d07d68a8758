#include "reports/content/bundle_content.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace aqbench {
namespace {

using ::testing::IsEmpty;

TEST(LogWarnings, TheWordInAnyCaseAndNothingLikeIt) {
  const auto warnings = warnings_of_log(
      "all fine\nfoo.cc:3: warning: unused\r\n0 warnings, forewarning, warning_count\n[WARN] x\nWarning",
      "a.log");
  ASSERT_EQ(warnings.size(), 3u);
  EXPECT_EQ(warnings[0].line, 2u);
  EXPECT_THAT(warnings[0].text, ::testing::StartsWith("foo.cc:3: warning: unused"));
  EXPECT_EQ(warnings[1].line, 4u);
  EXPECT_EQ(warnings[2].line, 5u);
  EXPECT_LE(warnings_of_log("warning " + std::string(5000, 'x'), "a").at(0).text.size(), 203u);
  EXPECT_THAT(warnings_of_log("", "a"), IsEmpty());
}

}  // namespace
}  // namespace aqbench
