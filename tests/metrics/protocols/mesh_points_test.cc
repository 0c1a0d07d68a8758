// Points of meshes by the steps of the published programs.
#include "metrics/protocols/mesh_points.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/error.h"
#include "metrics/protocols/cloud_protocol.h"

namespace aqbench::test {
namespace {

using ::testing::SizeIs;

TriangleMesh triangle(const Vec3& a, const Vec3& b, const Vec3& c) { return {{a, b, c}, {{0, 1, 2}}}; }

// Legs of 1.1 mm at a right angle, spacing 0.2 mm: 5 steps along each, u = (i + 0.5) / 5. Of i + j + 1 < 5
// there are 4 + 3 + 2 + 1 = 10.
TEST(MeshPoints, ARightAngleHasAGridOfSamples) {
  const std::vector<Vec3> samples_m =
      face_samples_m(triangle({0, 0, 0.001}, {0.0011, 0, 0.001}, {0, 0.0011, 0.001}), 0.0002);
  ASSERT_THAT(samples_m, SizeIs(10));
  EXPECT_NEAR((samples_m[0] - Vec3(0.00011, 0.00011, 0.001)).norm(), 0, 1e-15);
  EXPECT_NEAR((samples_m[1] - Vec3(0.00011, 0.00033, 0.001)).norm(), 0, 1e-15);  // j is the inner one
}

// The same face from its second corner: sides of 1.1 and 1.556 mm at 45 degrees, h = 0.2 sqrt(1.1 * 1.556 /
// 1.21) = 0.2378 mm, so 4 and 6 steps.
TEST(MeshPoints, SamplesDependOnTheFirstCorner) {
  const Vec3 a(0, 0, 0), b(0.0011, 0, 0), c(0, 0.0011, 0);
  std::size_t count = 0;
  for (int i = 0; i <= 4; ++i)
    for (int j = 0; j <= 6; ++j) count += (i + 0.5) / 4 + (j + 0.5) / 6 < 1;
  EXPECT_THAT(face_samples_m(triangle(b, a, c), 0.0002), SizeIs(count));
  EXPECT_NE(count, 10U);
}

// DTUeval-python adds v1 * u + v2 * v and then the corner; begun with the corner, the last bit differs.
TEST(MeshPoints, SamplesAreSummedInTheOrderOfTheReferenceProgram) {
  const Vec3 a_mm(16.3, 0, 0), b_mm(17.7, 0, 0), c_mm(16.4, 3.1, 0);
  const std::vector<Vec3> samples_m = face_samples_m(triangle(a_mm / 1000, b_mm / 1000, c_mm / 1000), 0.0002);
  const double side_1 = 1000 * (b_mm.x() / 1000) - 1000 * (a_mm.x() / 1000);
  const double side_2 = 1000 * (c_mm.x() / 1000) - 1000 * (a_mm.x() / 1000);
  const double length_1 = side_1, length_2 = std::hypot(side_2, 3.1), area = side_1 * 3.1;
  const double step = 0.2 * std::sqrt(length_1 * length_2 / area);
  const double steps_1 = std::floor(length_1 / step), steps_2 = std::floor(length_2 / step);
  std::size_t at = 0, differ = 0;
  for (int i = 0; i <= steps_1; ++i)
    for (int j = 0; j <= steps_2; ++j) {
      const double u = (i + 0.5) / steps_1, v = (j + 0.5) / steps_2, corner = 1000 * (a_mm.x() / 1000);
      if (u + v >= 1) continue;
      ASSERT_LT(at, samples_m.size());
      EXPECT_EQ(samples_m[at++].x(), (u * side_1 + v * side_2 + corner) / 1000);
      differ += (u * side_1 + v * side_2 + corner) != (corner + u * side_1 + v * side_2);
    }
  EXPECT_EQ(at, samples_m.size());
  EXPECT_GT(differ, 3U);
}

TEST(MeshPoints, FacesWithoutAreaOrBelowTheSpacingHaveNone) {
  EXPECT_THAT(face_samples_m(triangle({0, 0, 0}, {1, 0, 0}, {2, 0, 0}), 0.0002), SizeIs(0));
  EXPECT_THAT(face_samples_m(triangle({0, 0, 0}, {0.0001, 0, 0}, {0, 0.0001, 0}), 0.0002), SizeIs(0));
  const double none = std::nan("");
  EXPECT_THAT(face_samples_m(triangle({none, 0, 0}, {1, 0, 0}, {0, 1, 0}), 0.0002), SizeIs(0));
  EXPECT_THROW(face_samples_m(triangle({0, 0, 0}, {10, 0, 0}, {0, 10, 0}), 0.0002), Error);
}

TEST(MeshPoints, CentresFollowTheVertices) {
  TriangleMesh mesh = triangle({0, 0, 0}, {3, 0, 0}, {0, 3, 0});
  mesh.vertices_m.emplace_back(9, 9, 9);  // of no face
  EXPECT_THAT(points_of_mesh_m(mesh, MeshCloud::vertices, 1), SizeIs(4));
  const std::vector<Vec3> points_m = points_of_mesh_m(mesh, MeshCloud::centres, 1);
  ASSERT_THAT(points_m, SizeIs(5));
  EXPECT_EQ(points_m[4], Vec3(1, 1, 0));
}

// The truth is a plane of points; the corners of a coarse mesh lie on it, its middle 4 mm above.
TEST(MeshPoints, AProtocolOfMeshesScoresTheFaces) {
  PointCloud truth;
  for (int i = -50; i <= 50; ++i)
    for (int j = -50; j <= 50; ++j) truth.points_m.emplace_back(0.0002 * i, 0.0002 * j, 0);
  TriangleMesh roof{{{-0.01, -0.01, 0}, {0.01, -0.01, 0}, {0.01, 0.01, 0}, {-0.01, 0.01, 0}, {0, 0, 0.004}},
                    {{4, 0, 1}, {4, 1, 2}, {4, 2, 3}, {4, 3, 0}}};
  const PointCloud vertices{roof.vertices_m, {}, {}};
  const auto accuracy_mm = [&](const char* protocol) {
    const CloudKnobs knobs = knobs_at(find_cloud_protocol(protocol));
    CloudTruth compared;
    compared.cloud = truth;
    const ProtocolResult result = score_by_protocol(knobs, vertices, compared, &roof);
    return 1000 * find_value(result, "accuracy_mean")->value.value_or(-1);
  };
  EXPECT_NEAR(accuracy_mm("dtu"), 4.0 / 5, 1e-9);
  // The height of a pyramid averages a third of its top over the base.
  EXPECT_NEAR(accuracy_mm("dtu-mesh"), 4.0 / 3, 0.02);
}

TEST(MeshPoints, ProtocolsAreOfCloudsOrOfMeshes) {
  const CloudProtocol& clouds = find_cloud_protocol("dtu");
  const CloudProtocol& meshes = find_cloud_protocol("dtu-mesh");
  EXPECT_THAT(unfit_output(clouds, clouds.knobs, true), ::testing::HasSubstr("score it by dtu-mesh"));
  EXPECT_EQ(unfit_output(clouds, meshes.knobs, true), "") << "the knob says what becomes of the faces";
  EXPECT_EQ(unfit_output(clouds, clouds.knobs, false), "");
  EXPECT_EQ(unfit_output(meshes, meshes.knobs, true), "");
  EXPECT_THAT(unfit_output(meshes, meshes.knobs, false), ::testing::HasSubstr("is no mesh"));
}

}  // namespace
}  // namespace aqbench::test
