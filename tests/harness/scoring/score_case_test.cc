#include "harness/scoring/score_case.h"

#include <gtest/gtest.h>

#include "harness/viewing/cloud_view.h"
#include "scenes/surfaces/mesh_surface.h"

namespace aqbench {
namespace {

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
  const Afterwards afterwards{.kept = {.cloud = true, .pictures = true}};
  const auto view_of = [&](const ScoredPart& part) {
    CaseResult result;
    result.record.case_name = "a";
    add_view(output, *truth, nullptr, {}, {}, afterwards, result, part);
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
  const auto truth = make_mesh_surface(square);
  Reconstruction output;
  output.cloud.points_m = square.vertices_m;
  square.triangles = {{0, 2, 1}, {0, 3, 2}, {0, 2, 3}, {1, 0, 2}};
  output.mesh = square;
  CaseResult result;
  score_output(output, *truth, {}, result);
  const std::vector<std::pair<std::string, double>> expected = {{"truth_repeated_faces", 1},
                                                                {"mesh_repeated_faces", 2}};
  EXPECT_EQ(result.record.effective, expected);
  EXPECT_NEAR(*find_metric(result.record.metrics, "mesh_area_ratio")->value, 1, 1e-12);
}

}  // namespace
}  // namespace aqbench
