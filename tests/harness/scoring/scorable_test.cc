#include "harness/scoring/scorable.h"

#include <gmock/gmock.h>

#include <cmath>

#include "core/error.h"
#include "metrics/truth/truth_cloud.h"
#include "scenes/surfaces/mesh_surface.h"
#include "tests/metrics/truth.h"

namespace aqbench {
namespace {

using testing::AllOf;
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
  EXPECT_THAT(scorable_problem({{0, 0, -9}}), HasSubstr("near the truth; is it in the scene's frame"));
}

// A cloud in metres that lies elsewhere is not called one of another unit: it would shrink to nothing.
TEST(Scorable, ACloudThatIsElsewhereIsInNoOtherUnit) {
  EXPECT_THAT(scorable_problem({{5, 0, 1000}, {5.25, 0.2, 1000}}),
              HasSubstr("no point lies where the scene is scored"));
  EXPECT_THAT(scorable_problem({{5, 0, 1000}, {5.003, 0.002, 1000}}), Not(HasSubstr("millimetres")));
}

// A grid over a square of that side, centred at x = y = 0, with ripples of a hundredth of it.
std::vector<Vec3> rippled_square(double side, double z, int steps = 40) {
  std::vector<Vec3> points;
  for (int x = 0; x <= steps; ++x)
    for (int y = 0; y <= steps; ++y)
      points.emplace_back(side * (x / double(steps) - 0.5), side * (y / double(steps) - 0.5),
                          z + 0.01 * side * std::sin(0.9 * x));
  return points;
}

std::shared_ptr<const Surface> scan_truth(const std::vector<Vec3>& points) {
  return make_truth_cloud({Scan{{points, {}, {}}, std::nullopt, "scan.ply"}}, {});
}

std::shared_ptr<const Surface> mesh_truth(double side, double z) {
  const std::vector<Vec3> vertices = rippled_square(side, z);
  TriangleMesh mesh{vertices, {}};
  for (std::uint32_t x = 0; x < 40; ++x)
    for (std::uint32_t y = 0; y < 40; ++y) {
      const std::uint32_t a = 41 * x + y, b = a + 1, c = a + 41, d = a + 42;
      mesh.triangles.push_back({a, b, c});
      mesh.triangles.push_back({b, d, c});
    }
  return make_mesh_surface(std::move(mesh));
}

std::string problem_of(const std::vector<Vec3>& points, const Surface& truth,
                       ScorableHints hints = {"mine.ply"}) {
  try {
    return "warning: " + check_scorable({points, {}, {}}, truth, hints);
  } catch (const Error& error) {
    return error.what();
  }
}

// One rule for meshes and scans: another unit that puts the points near the truth, where the given one does
// not.
TEST(Scorable, AWrongUnitOfCloudOrTruthIsRefused) {
  for (const bool mesh : {false, true}) {
    const auto truth = [&](double side, double z) {
      return mesh ? mesh_truth(side, z) : scan_truth(rippled_square(side, z));
    };
    const std::vector<Vec3> metres = rippled_square(0.4, 1.178), millimetres = rippled_square(400, 1178);
    EXPECT_EQ(problem_of(metres, *truth(0.4, 1.178)), "warning: ");
    EXPECT_EQ(problem_of(millimetres, *truth(400, 1178)), "warning: ");
    EXPECT_THAT(problem_of(millimetres, *truth(0.4, 1.178)),
                AllOf(HasSubstr("look like millimetres, not metres"), HasSubstr("give --unit mm")));
    EXPECT_THAT(problem_of(metres, *truth(400, 1178)),
                AllOf(HasSubstr("is the truth in millimetres?"), HasSubstr("give --truth-unit mm")));
    EXPECT_THAT(problem_of(metres, *truth(40, 117.8)), HasSubstr("give --truth-unit cm"));
    // Read as millimetres, though its numbers are metres.
    std::vector<Vec3> shrunk = metres;
    for (Vec3& point : shrunk) point *= 1e-3;
    EXPECT_THAT(problem_of(shrunk, *truth(0.4, 1.178), {.name = "mine.ply", .metres_per_unit = 1e-3}),
                AllOf(HasSubstr("look like metres, not millimetres"), HasSubstr("give --unit m")));
  }
}

// About the origin a cloud of another unit lies in the middle of the truth, and yet far from its surface.
TEST(Scorable, AWrongUnitIsRefusedInsideOfAClosedTruth) {
  std::vector<Vec3> sphere;
  for (int i = 0; i < 2000; ++i) {
    const double z = 1 - 2 * (i + 0.5) / 2000, angle = 2.399963 * i, r = std::sqrt(1 - z * z);
    sphere.emplace_back(0.2 * r * std::cos(angle), 0.2 * r * std::sin(angle), 0.2 * z);
  }
  std::vector<Vec3> large = sphere;
  for (Vec3& point : large) point *= 1000;
  EXPECT_THAT(problem_of(sphere, *scan_truth(large)), HasSubstr("is the truth in millimetres?"));
  EXPECT_THAT(problem_of(large, *scan_truth(sphere)), HasSubstr("look like millimetres"));
}

// A small cloud on a large truth is what it says it is, and so is a poor one.
TEST(Scorable, ACloudNearTheTruthIsScoredWhateverTheirSizes) {
  const auto truth = mesh_truth(400, 3);
  std::vector<Vec3> cloud;
  for (int i = 0; i < 1000; ++i) {
    const Vec3 at(7 + 0.035 * (i % 40), -3 + 0.056 * (i / 40), 0);
    std::vector<ClosestPoint> closest(1);
    truth->closest_points(std::vector{Vec3(at.x(), at.y(), 3)}, closest);
    cloud.push_back(closest[0].position_m + Vec3(0, 0, 0.001 * (i % 3 - 1)));
  }
  EXPECT_THAT(problem_of(cloud, *truth), HasSubstr("warning: "));
  std::vector<Vec3> off = rippled_square(0.4, 1.25);
  EXPECT_EQ(problem_of(off, *mesh_truth(0.4, 1.178)), "warning: ");
  for (Vec3& point : off) point += Vec3(0, 0, 50);  // far away in every unit: scored, and said
  EXPECT_THAT(problem_of(off, *mesh_truth(0.4, 1.178)),
              HasSubstr("warning: mine.ply: only 0 % of the points"));
}

}  // namespace
}  // namespace aqbench
