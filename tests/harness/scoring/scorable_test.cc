#include "harness/scoring/scorable.h"

#include <gmock/gmock.h>

#include "core/error.h"
#include "metrics/truth/truth_cloud.h"
#include "tests/metrics/truth.h"

namespace aqbench {
namespace {

using testing::HasSubstr;
using testing::Not;

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

// A cloud in metres that lies elsewhere is not called one of another unit: it would shrink to nothing.
TEST(Scorable, ACloudThatIsElsewhereIsInNoOtherUnit) {
  EXPECT_THAT(scorable_problem({{5, 0, 1000}, {5.25, 0.2, 1000}}),
              HasSubstr("no point lies where the scene is scored"));
  EXPECT_THAT(scorable_problem({{5, 0, 1000}, {5.003, 0.002, 1000}}), Not(HasSubstr("millimetres")));
}

// A scan of 0.5 m whose numbers are millimetres and are read as metres.
TEST(Scorable, ATruthInMillimetresIsNamed) {
  Scan scan;
  scan.file = "scan.ply";
  for (int x = -5; x <= 5; ++x)
    for (int y = -5; y <= 5; ++y) scan.cloud.points_m.push_back({50.0 * x, 50.0 * y, 0});
  const auto truth = make_truth_cloud({scan}, {});
  const PointCloud near{{{-0.25, -0.25, 0}, {0.25, 0.25, 0}}, {}, {}};
  EXPECT_THAT(check_scorable(near, *truth, {"mine.ply"}), HasSubstr("is the truth in millimetres?"));
  const PointCloud same{{{-250, -250, 0}, {250, 250, 0}}, {}, {}};
  EXPECT_EQ(check_scorable(same, *truth, {"mine.ply"}), "");
}

}  // namespace
}  // namespace aqbench
