#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <cstdio>

#include "core/files.h"
#include "reports/content/commands.h"
#include "tests/core/error_matcher.h"
#include "tests/temporary_directory.h"

namespace aqbench {
namespace {

TEST(ShellQuote, ReadsBackTheSameInAShell) {
  const std::vector<std::string> words = {"plain",         "",  "two words", "it's", "$(x)`y`\\",
                                          "--set=a.b=0.1", "*?"};
  EXPECT_EQ(shell_quote("a.b=0.1"), "a.b=0.1");
  EXPECT_EQ(shell_quote("it's"), "'it'\\''s'");
  FILE* const pipe = ::popen(("printf '%s|' " + shell_join(words)).c_str(), "r");
  ASSERT_NE(pipe, nullptr);
  char buffer[256] = {};
  const std::size_t size = std::fread(buffer, 1, sizeof buffer - 1, pipe);
  ::pclose(pipe);
  std::string expected;
  for (const std::string& word : words) expected += word + "|";
  EXPECT_EQ(std::string(buffer, size), expected);
}

TEST(Commands, AppendsStartAndEnd) {
  const TemporaryDirectory bundle;
  begin_command(bundle.path(), "2025-05-20T10:11:12Z", {"c0ffee", "main", "## main\n M a\x1b file", ""},
                {"aqbench", "sweep", "--scene", "undu*"});
  const std::string first = read_file(bundle / "commands.txt");
  EXPECT_NE(
      first.find("started: 2025-05-20T10:11:12Z\ncommit: c0ffee\nbranch: main\nstatus before:\n  ## main\n"
                 "   M a? file\ncommand: aqbench sweep --scene 'undu*'\n"),
      first.npos)
      << first;
  end_command(bundle.path(), "2025-05-20T10:12:00Z", {"", "", "", "not in a git repository"}, 3,
              {12.3456, 10, 0.5});
  const std::string both = read_file(bundle / "commands.txt");
  EXPECT_TRUE(both.starts_with(first));
  EXPECT_TRUE(
      both.ends_with("finished: 2025-05-20T10:12:00Z\nstatus after: not in a git repository\nexit code: "
                     "3\nreal 12.346 s\nuser 10.000 s\nsys 0.500 s\n"));
}

TEST(Commands, AFolderThatCannotBeWrittenIsAnIoError) {
  const TemporaryDirectory directory;
  const auto message = error_of(ErrorKind::io, [&] { begin_command(directory / "absent", "t", {}, {"x"}); });
  EXPECT_TRUE(message.starts_with(directory.path().string())) << message;
}

TEST(GitState, OfARepositoryAndOutside) {
  const TemporaryDirectory directory;
  // Neither the user's configuration nor a repository around the temporary folder may decide.
  ::setenv("GIT_CEILING_DIRECTORIES", directory.path().parent_path().c_str(), 1);
  EXPECT_EQ(read_git_state(directory.path()).problem, "not in a git repository");
  const std::string git = "git -C " + shell_quote(directory.path().string()) + " ";
  ASSERT_EQ(::system((git + "init -q -b trunk").c_str()), 0);
  EXPECT_EQ(read_git_state(directory.path()).commit, "none yet");
  directory.file("a b.txt", "x");
  ASSERT_EQ(::system((git + "add . && " + git + "-c user.name=t -c user.email=t@t commit -q -m x").c_str()),
            0);
  directory.file("new.txt", "x");
  const GitState state = read_git_state(directory.path());
  EXPECT_EQ(state.problem, "");
  EXPECT_EQ(state.commit.size(), 40u);
  EXPECT_EQ(state.branch, "trunk");
  EXPECT_EQ(state.status, "## trunk\n?? new.txt");
  ASSERT_EQ(::system((git + "checkout -q --detach").c_str()), 0);
  EXPECT_EQ(read_git_state(directory.path()).branch, "HEAD");
}

TEST(GitState, WithoutGitSaysSo) {
  const TemporaryDirectory directory;
  const std::string path = ::getenv("PATH");
  ::setenv("PATH", directory.path().c_str(), 1);
  const GitState state = read_git_state(directory.path());
  ::setenv("PATH", path.c_str(), 1);
  EXPECT_NE(state.problem.find("git: No such file or directory"), std::string::npos) << state.problem;
  EXPECT_EQ(state.commit, "");
}

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class TestRunFixture : public ::testing::Test {
 protected:
  TemporaryDirectory directory_;
  fs::path build_with(const std::string& tests) {
    fs::create_directories(directory_ / "build");
    write_file(directory_ / "build/CTestTestfile.cmake", tests);
    fs::create_directories(directory_ / "bundle");
    return directory_ / "build";
  }
};

TEST_F(TestRunFixture, ListsAndRunsTheTestsOfABuildFolder) {
  const fs::path build = build_with("add_test(good /bin/true)\nadd_test(other /bin/true)\n");
  const TestRun run = run_tests(directory_ / "bundle", build);
  EXPECT_TRUE(run.passed) << run.problem;
  const std::string log = read_file(directory_ / "bundle/tests.log");
  for (const char* const part : {"Test #1: good\n", "Total Tests: 2\n", "100% tests passed"})
    EXPECT_THAT(log, HasSubstr(part));
  EXPECT_THAT(log, ::testing::ContainsRegex("exit code: 0\nreal [0-9.]+ s\nuser [0-9.]+ s\nsys [0-9.]+ s\n"));
  EXPECT_EQ(test_result(log), "passed");
  EXPECT_EQ(test_result(log.substr(0, log.size() - 3)), "");
}

TEST_F(TestRunFixture, AFailingTestIsAFailedRunWithItsOutput) {
  const fs::path build = build_with("add_test(bad sh -c \"echo it broke; exit 3\")\n");
  const TestRun run = run_tests(directory_ / "bundle", build);
  EXPECT_FALSE(run.passed);
  const std::string log = read_file(directory_ / "bundle/tests.log");
  EXPECT_THAT(log, HasSubstr("it broke"));
  EXPECT_EQ(test_result(log), "failed: ctest ended with exit code 8");
  EXPECT_THAT(error_of(ErrorKind::input, [&] { check_test_dir(directory_ / "bundle"); }),
              HasSubstr("no tests there"));
}

}  // namespace

}  // namespace aqbench
