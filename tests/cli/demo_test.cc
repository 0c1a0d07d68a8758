// aqbench demo, as a new user runs it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/cli/program.h"

namespace aqbench::testing {
namespace {

using ::testing::HasSubstr;

TEST(Demo, ShowsAGateThatFailsOnPurposeAndSaysWhatToDoNext) {
  const WithoutLibTorch program;
  const TemporaryDir dir;
  const std::string folder = dir / "demo";
  const auto result = succeeded(run_program({"demo", "--out", folder}));
  EXPECT_THAT(result.out, HasSubstr("FAIL: 1 of 1 case worse. undulating/mine: median error "));
  EXPECT_THAT(result.out, HasSubstr("The gate failed as it should, with exit code 1"));
  const std::size_t at = result.out.find("Look at   ") + 10;
  EXPECT_TRUE(std::filesystem::exists(result.out.substr(at, result.out.find('\n', at) - at)));
  EXPECT_THAT(result.out, HasSubstr("aqbench init --command"));
  expect_mistake(run_program({"demo", "--out", folder}), "not empty");
}

}  // namespace
}  // namespace aqbench::testing
