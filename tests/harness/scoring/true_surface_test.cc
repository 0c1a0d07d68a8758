// Every file that can be read is a truth, in its unit.
#include "harness/scoring/true_surface.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "tests/core/error_matcher.h"
#include "tests/temporary_directory.h"

namespace aqbench {
namespace {

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

}  // namespace
}  // namespace aqbench
