#include "harness/scoring/scorable.h"

#include <gmock/gmock.h>

#include "core/error.h"
#include "tests/metrics/truth.h"

namespace aqbench {
namespace {

using testing::HasSubstr;

std::string scorable_problem(const std::vector<Vec3>& points_m) {
  try {
    return "warning: " + check_scorable({points_m, {}, {}}, test::PlaneTruth(), {"mine.ply"});
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::input);
    return error.what();
  }
}

TEST(Scorable, UnitsAndFramesAreFound) {
  EXPECT_EQ(scorable_problem({{0, 0, 1.178}}), "warning: ");
  EXPECT_EQ(scorable_problem({}), "mine.ply: no points");
  EXPECT_EQ(scorable_problem({{test::kNaN, 0, 0}}), "mine.ply: none of its 1 points is finite");
  EXPECT_THAT(scorable_problem({{0, 0, 1178}, {10, 20, 1180}}), HasSubstr("millimetres, not metres"));
  EXPECT_THAT(scorable_problem({{0, 0, 117.8}, {1, 2, 118}}), HasSubstr("give --unit cm"));
  EXPECT_THAT(scorable_problem({{3, 0, 1.178}}), HasSubstr("no point lies where the scene is scored"));
  EXPECT_THAT(scorable_problem({{0, 0, -9}}), HasSubstr("near the scene; is it in the scene's frame"));
}

}  // namespace
}  // namespace aqbench
