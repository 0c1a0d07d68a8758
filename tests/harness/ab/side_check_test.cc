#include "harness/ab/side_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "harness/measuring/build_info.h"

namespace aqbench {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

struct AbSides : ::testing::Test {
  AbSides() {
    side.program_sha256 = "1111";
    side.build.version = "1.2";
    side.build.commit = "abc";
    side.build.compiler = "GNU 12.2.0";
    Json build = {{"program_sha256", "1111"}};
    add_build(build, side.build);
    environment = {{"build", build}};
  }
  AbSideInfo side;
  Json environment;
};

TEST_F(AbSides, OfTheProgramItselfHaveItsBuild) {
  EXPECT_THAT(own_side_problems("a", side, environment), IsEmpty());
  EXPECT_THAT(own_side_problems("a", side, Json{{"build", "unknown"}}), IsEmpty());
  EXPECT_THAT(own_side_problems("a", side, Json::object()), IsEmpty()) << "that of an older version";
  side.program_sha256 = "2222";
  side.build.version = "9.9";
  side.build.dirty = true;
  EXPECT_THAT(
      own_side_problems("a", side, environment),
      ElementsAre("a.program_sha256 is not that of environment.build",
                  "a.version is not that of environment.build", "a.dirty is not that of environment.build"));
}

// A build outside git does not know whether its sources were changed.
TEST_F(AbSides, OfABuildOutsideGitHaveNoCommit) {
  side.build.commit.clear();
  environment["build"]["commit"] = environment["build"]["dirty"] = nullptr;
  EXPECT_THAT(own_side_problems("a", side, environment), IsEmpty());
}

TEST_F(AbSides, AreOfThisProgramByCommitAndHash) {
  EXPECT_FALSE(is_of_this_program(environment));
  Json own = {{"program_sha256", program_sha256()}};
  add_build(own, build_info());
  EXPECT_TRUE(is_of_this_program(Json{{"build", own}}));
}

}  // namespace
}  // namespace aqbench
