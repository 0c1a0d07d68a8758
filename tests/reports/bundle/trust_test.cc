#include "reports/bundle/trust.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/core/error_matcher.h"
#include "tests/temporary_directory.h"

namespace aqbench {
namespace {

namespace fs = std::filesystem;
using ::testing::EndsWith;
using ::testing::HasSubstr;

TEST(TrustFile, NamesPeopleAndTheirKeys) {
  const TemporaryDirectory directory;
  const std::string a(64, 'a'), b(64, 'b');
  const auto read = [&](const std::string& text) { return read_trust_file(directory.file("keys", text)); };
  const auto trusted = read("# friends\n\nann " + a + "\nann   " + b + "\n");
  ASSERT_EQ(trusted.size(), 2u);
  EXPECT_EQ(name_of_key(trusted, b), "ann");
  EXPECT_EQ(name_of_key(trusted, std::string(64, 'c')), "");
  for (const std::string& wrong : {std::string("ann"), "ann " + a.substr(1), "ann x " + a, " " + a,
                                   "ann " + a + " ", "a\033[2J " + a, "ann " + std::string(64, 'G')})
    EXPECT_THAT(error_of(ErrorKind::input, [&] { read("# x\n" + wrong + "\n"); }),
                HasSubstr("/keys: line 2: expected NAME FINGERPRINT"));
  EXPECT_THAT(error_of(ErrorKind::input, [&] { read("ann " + a + "\nbob " + a + "\n"); }),
              EndsWith("line 2: this key is ann's already"));
}

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
}  // namespace aqbench
