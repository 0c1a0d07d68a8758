#include "reports/content/test_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/files.h"
#include "tests/core/error_matcher.h"
#include "tests/temporary_directory.h"

namespace aqbench {
namespace {

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
  EXPECT_THAT(log, HasSubstr("Test #1: good\n"));
  EXPECT_THAT(log, HasSubstr("Total Tests: 2\n"));
  EXPECT_THAT(log, HasSubstr("100% tests passed"));
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
