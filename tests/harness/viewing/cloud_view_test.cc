#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <utility>

#include "core/error.h"
#include "harness/viewing/cloud_view.h"
#include "harness/viewing/make_view.h"
#include "metrics/diagnosis.h"
#include "scenes/surfaces/mesh_surface.h"
#include "scenes/surfaces/shapes.h"
#include "tests/core/error_matcher.h"

namespace aqbench {
namespace {

CloudView small_view() {
  CloudView view;
  view.origin_mm = {1, -2, 1178};
  view.scored = 5;
  view.points = {{0, 0, 0}, {-70000, 3, 90}, {1 << 29, -1, 64}};
  view.errors = {0, -127, 28};
  view.marks = {0xF3, 0x0E, 0xFF};
  view.holes = {{5, 6, 7}};
  view.causes = {4};
  view.vertices = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}};
  view.vertex_errors = {1, 2, 3};
  view.triangles = {{2, 0, 1}, {0, 1, 2}};
  view.scene_json = R"({"truth":null})";
  return view;
}

TEST(CloudView, ReadsBackWhatWasWritten) {
  const CloudView view = small_view(), back = decode_view(encode_view(view), "x");
  EXPECT_EQ(back.origin_mm, view.origin_mm);
  EXPECT_EQ(back.scored, 5u);
  EXPECT_EQ(back.points, view.points);
  EXPECT_EQ(back.errors, view.errors);
  EXPECT_EQ(back.marks, view.marks);
  EXPECT_EQ(back.holes, view.holes);
  EXPECT_EQ(back.causes, view.causes);
  EXPECT_EQ(back.vertices, view.vertices);
  EXPECT_EQ(back.vertex_errors, view.vertex_errors);
  EXPECT_EQ(back.triangles, view.triangles);
  EXPECT_EQ(back.scene_json, view.scene_json);
}

TEST(CloudView, KeepsColoursWhereThereAreSome) {
  EXPECT_EQ(encode_view(small_view()).find("colours"), std::string::npos);
  CloudView view = small_view();
  view.colours = {0xF800, 0x07E0, 0x00FF};
  const std::string bytes = encode_view(view);
  EXPECT_EQ(decode_view(bytes, "x").colours, view.colours);
  EXPECT_EQ(decode_view(bytes, "x").causes, view.causes);
  EXPECT_EQ(thinned(view, 2, 10).colours, (std::vector<std::uint16_t>{0xF800, 0x00FF}));
  for (std::size_t length = 0; length < bytes.size(); ++length)
    EXPECT_THROW(decode_view(bytes.substr(0, length), "x"), Error) << length;
  std::string other = bytes;
  other.replace(other.find("rgb565"), 6, "rgb888");
  EXPECT_THROW(decode_view(other, "x"), Error);
  // Levels of 31 and 63, rounded: 255 / 31 = 8.23 and 255 / 63 = 4.05 a step.
  EXPECT_EQ(colour_code({255, 255, 255}), 0xFFFF);
  EXPECT_EQ(colour_code({4, 2, 4}), 0);
  EXPECT_EQ(colour_code({5, 3, 5}), (1 << 11 | 1 << 5 | 1));
  EXPECT_EQ(colour_code({0, 130, 0}), 32 << 5);
}

TEST(CloudView, KeepsRaysWhereThereAreSome) {
  EXPECT_EQ(encode_view(small_view()).find("rays"), std::string::npos);
  CloudView view = small_view();
  view.rays = {{1, 2, 3}, {-4, 5, 6}, {1 << 29, 0, 0}};
  const std::string bytes = encode_view(view);
  EXPECT_EQ(decode_view(bytes, "x").rays, view.rays);
  EXPECT_EQ(decode_view(bytes, "x").triangles, view.triangles);
  EXPECT_EQ(thinned(view, 2, 10).rays, view.rays);
  for (std::size_t length = 0; length < bytes.size(); ++length)
    EXPECT_THROW(decode_view(bytes.substr(0, length), "x"), Error) << length;
}

TEST(CloudView, KeepsAgreementWhereNoTruthIsKnown) {
  CloudView view = small_view();
  EXPECT_EQ(encode_view(view).find("agreement"), std::string::npos);
  view.is_agreement = true;
  view.errors = {agreement_code(1), agreement_code(-0.5), agreement_code(std::nan(""))};
  EXPECT_EQ(view.errors, (std::vector<std::int8_t>{127, -64, kUnknownAgreement}));
  EXPECT_NEAR(agreement_of_code(view.errors[1]), -0.5, 0.5 / 127);
  EXPECT_TRUE(std::isnan(agreement_of_code(view.errors[2])));
  const CloudView back = decode_view(encode_view(view), "x");
  EXPECT_TRUE(back.is_agreement);
  EXPECT_EQ(back.errors, view.errors);
  EXPECT_TRUE(thinned(view, 2, 10).is_agreement);
}

TEST(CloudView, RefusesWhatIsNoView) {
  const std::string good = encode_view(small_view());
  for (std::size_t length = 0; length < good.size(); ++length)
    EXPECT_THROW(decode_view(good.substr(0, length), "x"), Error) << length;
  EXPECT_THROW(decode_view(good + "x", "x"), Error);
  std::string far = good;
  far.replace(far.find("\"vertices\":3"), 12, "\"vertices\":1");
  EXPECT_THROW(decode_view(far, "x"), Error);
  std::string many = good;
  many.replace(many.find("\"points\":3"), 10, "\"points\":99999999999");
  EXPECT_THROW(decode_view(many, "x"), Error);
  for (const auto& [found, given] :
       {std::pair("\"scene\":", "\"scent\":"), {"\"scene\":{", "\"scene\":3, \"s\":{"}}) {
    std::string other = good;
    other.replace(other.find(found), std::string(found).size(), given);
    EXPECT_THAT(error_of(ErrorKind::input, [&] { decode_view(other, "viewer/x.bin"); }),
                ::testing::AllOf(::testing::StartsWith("viewer/x.bin: "), ::testing::HasSubstr("scene")));
  }
}

TEST(CloudView, CodesOfErrorsAreAsNearAsStated) {
  for (double error_mm = -19.9; error_mm < 20; error_mm += 0.0137) {
    const double off = std::abs(error_of_code(error_code(error_mm)) - error_mm);
    // Half the distance between codes c and c + 1: full (2 c + 1) / 127^2 / 2, and a little for the
    // curvature.
    EXPECT_LE(off,
              0.5 * kViewError_mm * (2 * 127 * std::sqrt(std::abs(error_mm) / kViewError_mm) + 2) / 127 / 127)
        << error_mm;
  }
  EXPECT_LE(std::abs(error_of_code(error_code(1)) - 1), 0.035);
  EXPECT_LE(std::abs(error_of_code(error_code(0.1)) - 0.1), 0.012);
  EXPECT_EQ(error_of_code(error_code(-300)), -kViewError_mm);
}

TEST(CloudView, ThinningIsEvenAndTellsHowManyThereWere) {
  CloudView view;
  for (int i = 0; i < 100; ++i) {
    view.points.push_back({i, 0, 0});
    view.errors.push_back(static_cast<std::int8_t>(i));
    view.marks.push_back(0);
    view.holes.push_back({0, i, 0});
    view.causes.push_back(1);
  }
  view.scored = 100;
  const CloudView thin = thinned(view, 8, 10);
  ASSERT_EQ(thin.points.size(), 13u);
  EXPECT_EQ(thin.points[2], (GridPoint{16, 0, 0}));
  EXPECT_EQ(thin.errors[2], 16);
  EXPECT_EQ(thin.holes.size(), 10u);
  EXPECT_EQ(thin.scored, 100u);
  EXPECT_EQ(stride_for(20, 20), 1u);
  EXPECT_EQ(stride_for(21, 20), 2u);
}

// A courtyard of 60 m is shown but for one point 8 km away.
TEST(MakeView, ShowsLargeSurfacesWithoutAPatch) {
  const auto truth = make_mesh_surface(
      {{Vec3(-30, -30, 0), Vec3(30, -30, 0), Vec3(30, 30, 0), Vec3(-30, 30, 0)}, {{0, 1, 2}, {0, 2, 3}}});
  Reconstruction made;
  for (int i = 0; i < 900; ++i) made.cloud.points_m.emplace_back(2 * (i % 30) - 29, 2 * (i / 30) - 29, 0.001);
  made.cloud.points_m.emplace_back(0, 0, 8000);
  const CloudView view = make_view(made, *truth, nullptr, {}, {}, {.points = 1000});
  EXPECT_EQ(view.far, 1u);
  EXPECT_EQ(view.points.size(), 900u);
}

// A plane with a dent: its points are 3 mm towards the cameras within 20 mm of (0.1, 0.05).
TEST(MakeView, KeepsPlacesErrorsViewsAndHoles) {
  const auto plane = make_plane(PlaneShape{}, Patch{});
  const HeightField& truth = *plane;
  const double depth_m = truth.jet(0, 0).z;
  Reconstruction made;
  for (double y = -0.2; y < 0.2; y += 0.002)
    for (double x = -0.24; x < 0.24; x += 0.002) {
      const bool dent = std::hypot(x - 0.1, y - 0.05) < 0.02;
      made.cloud.points_m.emplace_back(x, y, depth_m - (dent ? 0.003 : 0));
      made.cloud.confidence.push_back(0.5F);
    }
  made.cloud.points_m.emplace_back(0, 0, NAN);
  made.cloud.points_m.emplace_back(0, 0, -100);
  made.cloud.confidence.insert(made.cloud.confidence.end(), 2, 1.0F);
  const auto views = [](std::span<const Vec3> places) { return std::vector<int>(places.size(), 3); };
  const CloudView view =
      make_view(made, truth, nullptr, {{Vec3(0.2, 0.1, depth_m)}, {4}}, views, {.points = 1'000'000});
  EXPECT_EQ(view.far, 1u);
  EXPECT_EQ(view.points.size() + 1, view.scored);
  std::size_t dents = 0;
  for (std::size_t i = 0; i < view.points.size(); ++i) {
    const double x = (view.origin_mm[0] + view.points[i][0] * kViewStep_mm) / 1000,
                 y = (view.origin_mm[1] + view.points[i][1] * kViewStep_mm) / 1000;
    const double from_centre = std::hypot(x - 0.1, y - 0.05);
    if (std::abs(from_centre - 0.02) < 1e-4) continue;
    EXPECT_NEAR(error_of_code(view.errors[i]), from_centre < 0.02 ? 3 : 0, 0.061);
    dents += from_centre < 0.02 ? 1 : 0;
    EXPECT_EQ(view.marks[i], 3 | 7 << 4);
  }
  EXPECT_NEAR(static_cast<double>(dents), std::numbers::pi * 100, 20);
  ASSERT_EQ(view.holes.size(), 1u);
  EXPECT_EQ(view.holes[0], (GridPoint{10000, 5000, 0}));
  EXPECT_EQ(view.causes[0], 4) << "filtered";
  const CloudView few = make_view(made, truth, nullptr, {}, {}, {.points = 1000});
  EXPECT_LE(few.points.size(), 1000u);
  EXPECT_GT(few.points.size(), 900u);
  EXPECT_EQ(few.marks[0], 0x7F);
}

TEST(MakeView, GivesEveryShownPointItsColour) {
  const auto truth = make_plane(PlaneShape{}, Patch{});
  Reconstruction made;
  for (int i = 0; i < 1000; ++i) {  // also points beyond the patch, which are not shown
    const double x = 0.001 * (i % 2 == 0 ? i : 5000);
    made.cloud.points_m.emplace_back(x - 0.2, 0.01 * (i % 7), truth->jet(0, 0).z);
    made.cloud.colours.push_back(i % 2 == 0 ? Rgb{static_cast<std::uint8_t>(i / 5), 0, 9} : Rgb{0, 255, 0});
  }
  const CloudView view = make_view(made, *truth, nullptr, {}, {}, {.points = 100});
  ASSERT_EQ(view.colours.size(), view.points.size());
  ASSERT_GT(view.points.size(), 50u);
  for (std::size_t k = 0; k < view.points.size(); ++k) {
    const double x = (view.origin_mm[0] + view.points[k][0] * kViewStep_mm) / 1000;
    const auto i = static_cast<int>(std::lround((x + 0.2) * 1000));
    EXPECT_EQ(view.colours[k], colour_code({static_cast<std::uint8_t>(i / 5), 0, 9})) << i;
  }
}

// A mesh beyond the limit was not drawn, without a word.
TEST(MakeView, SimplifiesAMeshThatIsTooLargeAndSaysSo) {
  const auto truth = make_plane(PlaneShape{}, Patch{});
  const double depth_m = truth->jet(0, 0).z;
  Reconstruction made;
  made.mesh.emplace();
  constexpr std::uint32_t kSide = 60;
  for (std::uint32_t y = 0; y <= kSide; ++y)
    for (std::uint32_t x = 0; x <= kSide; ++x)
      made.mesh->vertices_m.emplace_back(0.2 * x / kSide - 0.1, 0.2 * y / kSide - 0.1, depth_m - 0.003);
  for (std::uint32_t y = 0; y < kSide; ++y)
    for (std::uint32_t x = 0; x < kSide; ++x) {
      const std::uint32_t at = y * (kSide + 1) + x;
      made.mesh->triangles.push_back({at, at + 1, at + kSide + 1});
      made.mesh->triangles.push_back({at + 1, at + kSide + 2, at + kSide + 1});
    }
  made.cloud.points_m = made.mesh->vertices_m;
  const CloudView view = make_view(made, *truth, nullptr, {}, {}, {.points = 1000, .triangles = 500});
  ASSERT_FALSE(view.triangles.empty());
  EXPECT_LE(view.triangles.size(), 500u);
  EXPECT_GT(view.triangles.size(), 200u);
  for (const std::int8_t code : view.vertex_errors) EXPECT_EQ(code, error_code(3));
  EXPECT_THAT(view.scene_json, ::testing::HasSubstr("\"triangles\":7200"));
  EXPECT_THAT(view.scene_json, ::testing::HasSubstr("\"moved_mm\":"));
  const CloudView whole = make_view(made, *truth, nullptr, {}, {}, {.points = 1000, .triangles = 7200});
  EXPECT_EQ(whole.triangles.size(), 7200u);
  const CloudView none = make_view(made, *truth, nullptr, {}, {}, {.points = 1000});
  EXPECT_TRUE(none.triangles.empty());
  EXPECT_THAT(none.scene_json, ::testing::HasSubstr("\"kept\":0"));
}

// Points on a line from 0 to 9 mm, one that is not finite and one that is 20 m away.
TEST(MakeView, WithoutATruthShowsAgreementAroundTheMiddle) {
  PointCloud cloud;
  for (int i = 0; i < 10; ++i) cloud.points_m.emplace_back(0.001 * i, 0, 1);
  cloud.points_m.emplace_back(std::nan(""), 0, 1);
  cloud.points_m.emplace_back(20, 0, 1);
  cloud.confidence.assign(cloud.points_m.size(), 1);
  cloud.colours.assign(cloud.points_m.size(), {255, 0, 0});
  UnscoredPoints points;
  points.index = spread_points(cloud, 100);
  EXPECT_EQ(points.index.size(), 10u);
  points.agreement.assign(10, 0.5);
  points.views.assign(10, 3);
  Reconstruction made{.cloud = cloud, .mesh = {}, .depth_maps = {}};
  const CloudView view = make_view_without_truth(made, points, nullptr);
  EXPECT_TRUE(view.is_agreement);
  EXPECT_EQ(view.scored, 11u);
  EXPECT_EQ(view.far, 1u);
  EXPECT_EQ(view.points.size(), 10u);
  EXPECT_EQ(view.origin_mm, (std::array<double, 3>{5, 0, 1000}));  // the upper median of 11
  EXPECT_EQ(view.errors, std::vector<std::int8_t>(10, 64));
  EXPECT_EQ(view.marks, std::vector<std::uint8_t>(10, 3 | 14 << 4));
  EXPECT_EQ(view.colours, std::vector<std::uint16_t>(10, 0xF800));
  EXPECT_EQ(view.scene_json, "{\"truth\":null}");
  EXPECT_EQ(spread_points(cloud, 5).size(), 5u);
  // A mesh is shown without values, its triangles far away and those without a position are not.
  made.mesh = TriangleMesh{cloud.points_m, {{0, 1, 2}, {0, 1, 10}, {0, 1, 11}}};
  EXPECT_THAT(make_view_without_truth(made, points, nullptr).scene_json, ::testing::HasSubstr("\"kept\":0"));
  const CloudView with_mesh = make_view_without_truth(made, points, nullptr, kFullView);
  EXPECT_EQ(with_mesh.triangles.size(), 1u);
  EXPECT_EQ(with_mesh.vertex_errors, std::vector<std::int8_t>(3, agreement_code(std::nan(""))));
}

// A hilly sheet of n x n squares, 0.5 m wide, each of two triangles.
TriangleMesh sheet(std::uint32_t n) {
  TriangleMesh mesh;
  for (std::uint32_t y = 0; y <= n; ++y)
    for (std::uint32_t x = 0; x <= n; ++x)
      mesh.vertices_m.emplace_back(0.5 * x / n, 0.5 * y / n, 0.01 * std::sin(20.0 * x / n));
  for (std::uint32_t y = 0; y < n; ++y)
    for (std::uint32_t x = 0; x < n; ++x) {
      const std::uint32_t at = y * (n + 1) + x;
      mesh.triangles.push_back({at, at + 1, at + n + 1});
      mesh.triangles.push_back({at + 1, at + n + 2, at + n + 1});
    }
  return mesh;
}

double area_m2(const TriangleMesh& mesh, const std::vector<std::array<std::uint32_t, 3>>& triangles) {
  double area = 0;
  for (const auto& [a, b, c] : triangles)
    area +=
        (mesh.vertices_m[b] - mesh.vertices_m[a]).cross(mesh.vertices_m[c] - mesh.vertices_m[a]).norm() / 2;
  return area;
}

TEST(SimplifyMesh, FitsCoversTheSameSurfaceAndSaysHowFarItIsOff) {
  const TriangleMesh mesh = sheet(120);  // 28 800 triangles
  const SimplifiedMesh simple = simplify_mesh(mesh, 4000);
  EXPECT_LE(simple.triangles.size(), 4000u);
  EXPECT_GT(simple.triangles.size(), 2000u) << "it must not be coarser than it has to be";
  EXPECT_NEAR(area_m2(mesh, simple.triangles) / area_m2(mesh, mesh.triangles), 1, 0.03);
  // Every seventh vertex of the mesh has one that is left within the distance that is said, and one is as
  // far.
  std::vector<bool> is_left(mesh.vertices_m.size(), false);
  for (const auto& triangle : simple.triangles)
    for (const std::uint32_t corner : triangle) is_left[corner] = true;
  std::vector<Vec3> left_m;
  for (std::uint32_t at = 0; at < mesh.vertices_m.size(); ++at)
    if (is_left[at]) left_m.push_back(mesh.vertices_m[at]);
  double farthest_m = 0;
  for (std::size_t i = 0; i < mesh.vertices_m.size(); i += 7) {
    double nearest_m = std::numeric_limits<double>::infinity();
    for (const Vec3& other_m : left_m) nearest_m = std::min(nearest_m, (other_m - mesh.vertices_m[i]).norm());
    farthest_m = std::max(farthest_m, nearest_m);
  }
  EXPECT_LE(farthest_m, simple.moved_m);
  EXPECT_GT(farthest_m, simple.moved_m / 4);
  EXPECT_LT(simple.moved_m, 0.015);
  EXPECT_EQ(simplify_mesh(mesh, 4000).triangles, simple.triangles);
}

TEST(SimplifyMesh, LeavesAloneWhatFits) {
  TriangleMesh mesh = sheet(4);
  EXPECT_EQ(simplify_mesh(mesh, 32).triangles, mesh.triangles);
  EXPECT_EQ(simplify_mesh(mesh, 32).moved_m, 0);
  EXPECT_TRUE(simplify_mesh(mesh, 0).triangles.empty());
  mesh.vertices_m[0].x() = std::nan("");
  EXPECT_EQ(simplify_mesh(mesh, 32).triangles.size(), 31u);  // the one that has it as a corner
  EXPECT_TRUE(simplify_mesh({}, 5).triangles.empty());
}

}  // namespace
}  // namespace aqbench
