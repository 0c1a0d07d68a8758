#include "core/error.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace aqbench {
namespace {

TEST(Error, KnowsItsFileAndProblem) {
  const Error plain(ErrorKind::usage, "--seed: must be above 0");
  EXPECT_EQ(plain.file(), "");
  EXPECT_EQ(plain.problem(), "--seed: must be above 0");
  const Error of_file(ErrorKind::input, "a/b.json: no such file", "a/b.json");
  EXPECT_STREQ(of_file.what(), "a/b.json: no such file");
  EXPECT_EQ(of_file.file(), "a/b.json");
  EXPECT_EQ(of_file.problem(), "no such file");
  EXPECT_EQ(Error(ErrorKind::input, "f:3:7: syntax error", "f").problem(), "3:7: syntax error");
  EXPECT_EQ(Error(ErrorKind::io, "cache: f: is full", "f").problem(), "cache: f: is full");
}

TEST(ExitCode, FollowsTheKindOfError) {
  EXPECT_EQ(exit_code(ErrorKind::usage), ExitCode::usage);
  EXPECT_EQ(exit_code(ErrorKind::input), ExitCode::usage);
  EXPECT_EQ(exit_code(ErrorKind::io), ExitCode::io);
  EXPECT_EQ(exit_code(ErrorKind::method), ExitCode::case_failed);
  EXPECT_EQ(exit_code(ErrorKind::not_comparable), ExitCode::not_comparable);
  EXPECT_EQ(exit_code(ErrorKind::verification), ExitCode::regression);
  EXPECT_EQ(exit_code(ErrorKind::interrupted), ExitCode::interrupted);
}

// "Several at once: the first of 2, 6, 130, 3, 4, 1, 5." Every subset of the codes, checked against that
// list.
TEST(ExitCode, CombinesByTheDocumentedOrder) {
  constexpr std::array order = {2, 6, 130, 3, 4, 1, 5};
  for (unsigned subset = 0; subset < 1U << order.size(); ++subset) {
    std::vector<ExitCode> codes = {ExitCode::pass};
    int expected = 0;
    for (std::size_t i = order.size(); i-- > 0;) {
      if ((subset >> i & 1U) == 0) continue;
      codes.push_back(static_cast<ExitCode>(order[i]));
      expected = order[i];
    }
    ASSERT_EQ(static_cast<int>(combine(codes)), expected) << subset;
  }
  EXPECT_EQ(combine(ExitCode::regression, ExitCode::pass), ExitCode::regression);
  EXPECT_EQ(combine(ExitCode::regression, ExitCode::case_failed), ExitCode::case_failed);
}

}  // namespace
}  // namespace aqbench
