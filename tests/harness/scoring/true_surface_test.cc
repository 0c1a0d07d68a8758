// Every file that can be read is a truth, in its unit.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/error.h"
#include "harness/scoring/evaluate.h"
#include "harness/scoring/score_case.h"
#include "harness/scoring/true_surface.h"
#include "harness/viewing/cloud_view.h"
#include "metrics/truth/truth_cloud.h"
#include "scenes/surfaces/mesh_surface.h"
#include "tests/core/error_matcher.h"
#include "tests/metrics/truth.h"
#include "tests/temporary_directory.h"

namespace aqbench {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr const char* kCorners[] = {"-200 -200 1178", "200 -200 1178", "200 200 1178", "-200 200 1178"};

class TrueSurface : public testing::Test {
 protected:
  // A level square of 0.4 m in millimetres, in the format of the name.
  std::string square(const std::string& name) {
    std::string text;
    if (name.ends_with(".obj")) {
      for (const char* const corner : kCorners) text += fmt::format("v {}\n", corner);
      text += "f 1 3 2\nf 1 4 3\n";
    } else if (name.ends_with(".stl")) {
      text = "solid s\n";
      for (const auto& [b, c] : {std::pair(2, 1), {3, 2}}) {
        text += "facet normal 0 0 -1\nouter loop\n";
        for (const int corner : {0, b, c}) text += fmt::format("vertex {}\n", kCorners[corner]);
        text += "endloop\nendfacet\n";
      }
      text += "endsolid s\n";
    } else {
      const char separator = name.ends_with(".csv") ? ',' : ' ';
      for (int x = -200; x <= 200; x += 20)
        for (int y = -200; y <= 200; y += 20) text += fmt::format("{0}{2}{1}{2}1178\n", x, y, separator);
    }
    return dir_.file(name, text).string();
  }
  static RecordingTruth truth_of(std::vector<std::string> files) {
    RecordingTruth truth;
    truth.surface = SurfaceTruth{std::move(files), "mm", {}};
    return truth;
  }
  TemporaryDirectory dir_;
};

TEST_F(TrueSurface, IsReadFromMeshesAndScansInTheirUnit) {
  const Vec3 point_m(0.05, 0.03, 1.179);
  for (const char* const name : {"a.obj", "a.stl", "a.xyz", "a.csv"}) {
    const RecordingTruth truth = truth_of({square(name)});
    const Scene scene = true_scene(truth, 0, "dataset:tank", Recording());
    EXPECT_EQ(scene.name, "dataset:tank");
    ClosestPoint closest;
    scene.truth.surface->closest_points({&point_m, 1}, {&closest, 1});
    EXPECT_NEAR(std::abs(closest.signed_distance_m), 1e-3, 1e-9) << name;
  }
}

TEST_F(TrueSurface, SeveralScansAreOneTruthAndFramesHaveTheirs) {
  const Scene both = true_scene(truth_of({square("a.xyz"), square("b.xyz")}), 0, "x", Recording());
  EXPECT_TRUE(std::isnan(both.truth.surface->area_m2()));
  square("scan_000001.obj");
  const RecordingTruth by_frame = truth_of({(dir_ / "scan_{frame}.obj").string()});
  EXPECT_NEAR(true_scene(by_frame, 1, "x", Recording()).truth.surface->area_m2(), 0.16, 1e-12);
  const std::string missing = error_of(ErrorKind::input, [&] { true_scene(by_frame, 0, "x", Recording()); });
  EXPECT_NE(missing.find("scan_000000.obj"), std::string::npos) << missing;
}

TEST_F(TrueSurface, PointsBeyondTheBorderAreLeftOutUnlessTheTruthSaysOtherwise) {
  const auto leaves_out = [&](RecordingTruth truth) {
    return score_options_of(truth, *true_scene(truth, 0, "x", Recording()).truth.surface, 100)
        .part.leave_out_beyond_border;
  };
  RecordingTruth scan = truth_of({square("a.xyz")}), mesh = truth_of({square("a.obj")});
  EXPECT_TRUE(leaves_out(scan));
  EXPECT_TRUE(leaves_out(mesh));
  mesh.surface->scoring.leave_out_beyond_border = false;
  EXPECT_FALSE(leaves_out(mesh));
  const Scene scene = true_scene(mesh, 0, "x", Recording());
  mesh.surface->scoring.max_distance_m = 0.02;
  EXPECT_EQ(score_options_of(mesh, *scene.truth.surface, 100).part.max_distance_m, 0.02);
}

TEST_F(TrueSurface, ScoringIsWhatTheTruthSaysOfIt) {
  RecordingTruth truth = truth_of({square("a.obj")});
  truth.surface->unit = "mm";
  truth.surface->scoring = {
      {}, {}, {0.01, 0.05}, 0.2, 0.004, 0.1, {"z:900,1400", "box:-100,-100,0,100,100,2000"}};
  const ScoreOptions options =
      score_options_of(truth, *true_scene(truth, 0, "x", Recording()).truth.surface, 100);
  EXPECT_EQ(options.tolerances_m, (std::vector<double>{0.01, 0.05}));
  EXPECT_EQ(options.outlier_m, 0.2);
  EXPECT_EQ(options.sample_spacing_m, 0.004);
  EXPECT_EQ(options.tile_m, 0.1);
  EXPECT_TRUE(options.part.crop.contains({0.05, 0.05, 1.2}));
  EXPECT_FALSE(options.part.crop.contains({0.05, 0.05, 1.5}));
  EXPECT_FALSE(options.part.crop.contains({0.15, 0.05, 1.2}));
}

std::string scorable_problem(const std::vector<Vec3>& points_m) {
  try {
    return "warning: " + check_scorable(SpanBlocks(points_m), test::PlaneTruth(), {"mine.ply"});
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
    return "warning: " + check_scorable(SpanBlocks(points), truth, hints);
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

// A level square of 0.4 m, and a cloud of which two points and a corner of its mesh lie beyond.
TEST(ScoreCase, AViewShowsThePartThatIsScored) {
  TriangleMesh square;
  square.vertices_m = {{-0.2, -0.2, 1}, {0.2, -0.2, 1}, {0.2, 0.2, 1}, {-0.2, 0.2, 1}};
  square.triangles = {{0, 2, 1}, {0, 3, 2}};
  const auto truth = make_mesh_surface(square);
  Reconstruction output;
  output.cloud.points_m = {{0.5, 0, 1}, {0, 0, 1.001}, {0.1, 0, 1.001}, {0.1, 0.1, 0.999}, {0, 0.9, 1}};
  output.cloud.confidence = {0, 0.5, 0.5, 0.5, 0};
  output.cloud.colours = {Rgb{255, 0, 0}, {0, 0, 255}, {0, 0, 255}, {0, 0, 255}, {255, 0, 0}};
  output.mesh = TriangleMesh{{{0, 0, 1}, {0, 0.1, 1}, {0.1, 0, 1}, {0.9, 0, 1}}, {{0, 1, 2}, {1, 2, 3}}};
  const KeptFiles kept{.cloud = true, .pictures = true};
  const auto view_of = [&](const ScoredPart& part) {
    CaseResult result;
    result.record.case_name = "a";
    add_view(output, *truth, nullptr, {}, {}, kept, result, part);
    return decode_view(result.artefacts.at(0).second, "view");
  };
  EXPECT_EQ(view_of({}).points.size(), 5U);
  EXPECT_EQ(view_of({}).triangles.size(), 2U);
  ScoredPart inside;
  inside.leave_out_beyond_border = true;
  const CloudView part = view_of(inside);
  EXPECT_EQ(part.points.size(), 3U);
  EXPECT_EQ(part.colours, std::vector<std::uint16_t>(3, 0x001F));
  EXPECT_EQ(part.scored, 3U);
  EXPECT_EQ(part.triangles.size(), 1U);
}

TEST(ScoreCase, TheRecordSaysHowManyFacesAreThereTwice) {
  TriangleMesh square;
  square.vertices_m = {{-0.2, -0.2, 1}, {0.2, -0.2, 1}, {0.2, 0.2, 1}, {-0.2, 0.2, 1}};
  square.triangles = {{0, 2, 1}, {0, 3, 2}, {0, 1, 2}};
  Subject subject;
  subject.scene = {"square", {}, {make_mesh_surface(square)}};
  Output output;
  output.reconstruction.cloud.points_m = square.vertices_m;
  square.triangles = {{0, 2, 1}, {0, 3, 2}, {0, 2, 3}, {1, 0, 2}};
  output.reconstruction.mesh = square;
  CaseResult result;
  evaluate(subject, std::move(output), {}, result);
  const std::vector<std::pair<std::string, double>> expected = {{"truth_repeated_faces", 1},
                                                                {"mesh_repeated_faces", 2}};
  EXPECT_EQ(result.record.effective, expected);
  EXPECT_NEAR(*find_metric(result.record.metrics, "mesh_area_ratio")->value, 1, 1e-12);
}

}  // namespace
}  // namespace aqbench
