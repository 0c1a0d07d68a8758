#include "cli/own_journals.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "tests/temporary_directory.h"

namespace aqbench::cli {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

TEST(OwnJournals, AreKnownByTheirFirstLineAndFolder) {
  const TemporaryDirectory directory;
  const fs::path here = fs::current_path();
  ::setenv("XDG_STATE_HOME", (directory / "state").c_str(), 1);
  const fs::path journal = directory.file("journal", "head\nrecord\n");
  EXPECT_FALSE(is_own_journal(journal));
  EXPECT_EQ(remember_own_journal(journal), "");
  EXPECT_TRUE(is_own_journal(journal));
  directory.file("journal", "head\nrecord\nanother\n");
  EXPECT_TRUE(is_own_journal(journal)) << "a sweep that went on";
  directory.file("journal", "hEad\nrecord\n");
  EXPECT_FALSE(is_own_journal(journal)) << "a stranger's head";
  directory.file("journal", "head\n");
  fs::current_path(directory.path());
  EXPECT_FALSE(is_own_journal(journal)) << "./run.sh is another program here";
  fs::current_path(here);
  // Notes that others could have written say nothing.
  EXPECT_TRUE(is_own_journal(journal));
  fs::permissions(directory / "state/aqbench/begun", fs::perms::all);
  EXPECT_FALSE(is_own_journal(journal));
  ::setenv("XDG_STATE_HOME", directory.file("file", "").c_str(), 1);
  EXPECT_THAT(remember_own_journal(journal), HasSubstr("Not a directory"));
  ::unsetenv("XDG_STATE_HOME");
}

}  // namespace
}  // namespace aqbench::cli
