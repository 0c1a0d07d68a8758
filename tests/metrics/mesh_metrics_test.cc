#include "metrics/mesh_metrics.h"

#include <gtest/gtest.h>

#include <cmath>

#include "scenes/surfaces/mesh_surface.h"
#include "tests/core/error_matcher.h"
#include "tests/metrics/truth.h"

namespace aqbench {
namespace {

using test::PlaneTruth;
using test::reason_of;
using test::value_of;

MetricSet score_mesh(TriangleMesh mesh, const Surface& truth) {
  ScoreOptions options;
  options.sample_spacing_m = 0.002;
  return score_reconstruction({{}, std::move(mesh), {}}, truth, options).metrics;
}

MeshTopology topology_of(const TriangleMesh& mesh) {
  ScoreOptions options;
  options.sample_spacing_m = 0.01;
  return measure_mesh(mesh, PlaneTruth(), options).topology;
}

TriangleMesh shifted(TriangleMesh mesh, const Vec3& by) {
  for (Vec3& vertex : mesh.vertices_m) vertex += by;
  return mesh;
}

TEST(MeshTopology, OfAnOpenSheet) {
  const MeshTopology sheet = topology_of(PlaneTruth().mesh(0.005));
  EXPECT_EQ(sheet.components, 1U);
  EXPECT_EQ(sheet.nonmanifold_edges, 0U);
  EXPECT_NEAR(sheet.boundary_m, 1.6, 1e-9);
}

TEST(MeshTopology, OfAClosedTetrahedronHasNoBoundary) {
  const TriangleMesh closed{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
                            {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}}};
  const MeshTopology topology = topology_of(closed);
  EXPECT_EQ(topology.components, 1U);
  EXPECT_EQ(topology.boundary_m, 0);
  EXPECT_EQ(topology.nonmanifold_edges, 0U);
}

TEST(MeshTopology, FindsPartsAndEdgesOfThreeTriangles) {
  // Three triangles on one edge, a lone one, one without area and a vertex that none uses.
  const TriangleMesh mesh{
      {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {5, 0, 0}, {6, 0, 0}, {5, 1, 0}, {9, 9, 9}},
      {{0, 1, 2}, {0, 1, 3}, {1, 0, 4}, {5, 6, 7}, {5, 5, 8}}};
  const MeshTopology topology = topology_of(mesh);
  EXPECT_EQ(topology.components, 2U);
  EXPECT_EQ(topology.nonmanifold_edges, 1U);
  EXPECT_NEAR(topology.boundary_m, 3 * (1 + std::sqrt(2.0)) + (2 + std::sqrt(2.0)), 1e-12);
}

// The same sheet as triangles without shared vertices, some of them twice, in one or the other winding.
TEST(MeshTopology, GoesByPlacesAndCountsAFaceOnce) {
  const TriangleMesh sheet = PlaneTruth().mesh(0.01);
  TriangleMesh apart;
  for (std::size_t i = 0; i < sheet.triangles.size(); ++i)
    for (std::size_t copy = 0; copy < (i % 3 == 0 ? 2U : 1U); ++copy) {
      const auto first = static_cast<std::uint32_t>(apart.vertices_m.size());
      for (const std::uint32_t corner : sheet.triangles[i])
        apart.vertices_m.push_back(sheet.vertices_m[corner]);
      apart.triangles.push_back({first, first + 1, first + 2});
      if (copy == 1 && i % 2 == 0) std::swap(apart.triangles.back()[0], apart.triangles.back()[1]);
    }
  const MeshTopology topology = topology_of(apart), joined = topology_of(sheet);
  EXPECT_EQ(topology.components, 1U);
  EXPECT_EQ(topology.nonmanifold_edges, 0U);
  EXPECT_NEAR(topology.boundary_m, 1.6, 1e-9);
  EXPECT_EQ(topology.faces.repeated, apart.triangles.size() - sheet.triangles.size());
  EXPECT_EQ(joined.faces.repeated, 0U);
  const MetricSet once = score_mesh(sheet, PlaneTruth()), twice = score_mesh(apart, PlaneTruth());
  EXPECT_NEAR(value_of(twice, "mesh_area_ratio"), 1, 1e-12);
  EXPECT_EQ(value_of(twice, "mesh_boundary_mm"), value_of(once, "mesh_boundary_mm"));
}

TEST(MeshTopology, OfNoTrianglesIsEmpty) {
  const MeshTopology topology = topology_of({{{0, 0, 0}}, {}});
  EXPECT_EQ(topology.components, 0U);
  EXPECT_EQ(topology.boundary_m, 0);
}

TEST(CheckMesh, NamesTheTriangleOrVertexAtFault) {
  const auto message = [](const TriangleMesh& mesh) {
    return error_of(ErrorKind::method, [&] { check_mesh(mesh); });
  };
  EXPECT_EQ(message({{{0, 0, 0}, {1, 0, 0}}, {{0, 1, 1}, {0, 1, 2}}}),
            "mesh.triangles[1]: vertex 2 of 2 vertices");
  EXPECT_EQ(message({{{0, 0, 0}, {1, test::kNaN, 0}}, {}}), "mesh.vertices_m[1]: not finite");
}

TEST(CutToPatch, IsExactOnEdgesAndCorners) {
  // A triangle that reaches over two sides of the patch [0, 1] x [0, 1]: its part over the patch is the
  // triangle (0,0) (1,0) (1,1) (0,1) less the corner beyond x + y = 1.5.
  const TriangleMesh mesh{{{0, 0, 1}, {1.5, 0, 1}, {0, 1.5, 1}}, {{0, 1, 2}}};
  const Patch patch{0, 1, 0, 1};
  EXPECT_NEAR(cut_to_patch(mesh.vertices_m, mesh.triangles, &patch).area_m2(), 1 - 0.125, 1e-15);
  EXPECT_NEAR(cut_to_patch(mesh.vertices_m, mesh.triangles, nullptr).area_m2(), 1.125, 1e-15);
  const Patch far{5, 6, 5, 6};
  EXPECT_EQ(cut_to_patch(mesh.vertices_m, mesh.triangles, &far).area_m2(), 0);
  const TriangleMesh around{{{-9, -9, 0}, {9, -9, 18}, {0, 20, 9}}, {{0, 1, 2}}};  // slope 1 along x
  const TriangleSoup soup = cut_to_patch(around.vertices_m, around.triangles, &patch);
  EXPECT_NEAR(soup.area_m2(), std::sqrt(2.0), 1e-12);
}

TEST(SampleByArea, IsUniformAndInsideTheTriangles) {
  const TriangleMesh mesh{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 5}, {3, 0, 5}, {0, 3, 5}},
                          {{0, 1, 2}, {3, 4, 5}}};
  constexpr std::size_t kCount = 50000;
  const std::vector<SoupSample> samples =
      sample_by_area(cut_to_patch(mesh.vertices_m, mesh.triangles, nullptr), kCount, 1);
  Vec3 sum = Vec3::Zero();
  std::size_t large = 0;
  for (const SoupSample& sample : samples) {
    EXPECT_EQ(sample.normal, Vec3(0, 0, 1));
    if (sample.position_m.z() < 2.5) continue;
    ++large;
    sum += sample.position_m;
    EXPECT_GE(sample.position_m.x(), 0);
    EXPECT_LE(sample.position_m.x() + sample.position_m.y(), 3 + 1e-12);
  }
  EXPECT_NEAR(static_cast<double>(large), 0.9 * kCount, 1);  // stratified: exact but for one slice
  EXPECT_NEAR(sum.x() / static_cast<double>(large), 1, 4 * 0.71 / std::sqrt(45000.0));
  EXPECT_NEAR(sum.y() / static_cast<double>(large), 1, 4 * 0.71 / std::sqrt(45000.0));
}

TEST(MeshMetrics, OfTheTruthItselfAreClean) {
  const PlaneTruth truth(0.3);
  const MetricSet metrics = score_mesh(truth.mesh(0.005), truth);
  EXPECT_LT(value_of(metrics, "mesh_accuracy_mean_mm"), 1e-9);
  EXPECT_LT(value_of(metrics, "mesh_completeness_mean_mm"), 1e-4);  // Open3D finds triangles in float
  EXPECT_NEAR(value_of(metrics, "mesh_normal_consistency"), 1, 1e-12);
  EXPECT_NEAR(value_of(metrics, "mesh_area_ratio"), 1, 1e-12);
  EXPECT_EQ(value_of(metrics, "mesh_components"), 1);
  EXPECT_EQ(value_of(metrics, "mesh_nonmanifold_edges"), 0);
  EXPECT_EQ(reason_of(metrics, "accuracy_mean_mm"), "no points");
}

TEST(MeshMetrics, OfAnOffsetMeshAreThatOffsetBothWays) {
  const PlaneTruth truth;
  const MetricSet metrics = score_mesh(shifted(truth.mesh(0.005), Vec3(0, 0, 0.003)), truth);
  EXPECT_NEAR(value_of(metrics, "mesh_accuracy_mean_mm"), 3, 1e-9);
  EXPECT_NEAR(value_of(metrics, "mesh_completeness_mean_mm"), 3, 1e-4);
  EXPECT_NEAR(value_of(metrics, "mesh_boundary_mm"), 1600, 1e-6);
}

TEST(MeshMetrics, OfHalfAMeshMissTheOtherHalf) {
  const PlaneTruth truth, half(0, Patch{-0.25, 0, -0.15, 0.15});
  const MetricSet metrics = score_mesh(half.mesh(0.005), truth);
  EXPECT_NEAR(value_of(metrics, "mesh_area_ratio"), 0.5, 1e-12);
  EXPECT_LT(value_of(metrics, "mesh_accuracy_mean_mm"), 1e-9);
  EXPECT_NEAR(value_of(metrics, "mesh_completeness_mean_mm"), 62.5, 0.1);  // half of the mean of 0 to 250 mm
}

// A mesh that goes on beyond the patch, as reconstructions do, is scored over the patch alone.
TEST(MeshMetrics, LeaveOutWhatLiesBesideThePatch) {
  const PlaneTruth truth, wide(0, Patch{-0.5, 0.5, -0.3, 0.3});
  const MetricSet metrics = score_mesh(shifted(wide.mesh(0.007), Vec3(0.0013, 0, 0)), truth);
  EXPECT_NEAR(value_of(metrics, "mesh_area_ratio"), 1, 1e-9);
  EXPECT_LT(value_of(metrics, "mesh_accuracy_mean_mm"), 1e-9);
  const MetricSet beside = score_mesh(shifted(truth.mesh(0.01), Vec3(2, 0, 0)), truth);
  EXPECT_EQ(reason_of(beside, "mesh_accuracy_mean_mm"), "no part of the mesh lies over the patch");
  EXPECT_EQ(reason_of(beside, "mesh_area_ratio"), "no part of the mesh lies over the patch");
}

TEST(MeshMetrics, NormalConsistencyIsTheCosineOfTheTilt) {
  const PlaneTruth truth(0), tilted(0.5);
  const MetricSet metrics = score_mesh(tilted.mesh(0.01), truth);
  EXPECT_NEAR(value_of(metrics, "mesh_normal_consistency"), 1 / std::sqrt(1.25), 1e-9);
  EXPECT_NEAR(value_of(metrics, "mesh_area_ratio"), std::sqrt(1.25), 1e-9);
}

TEST(MeshMetrics, WithoutTrianglesAreUndefined) {
  const MetricSet metrics = score_mesh({{{0, 0, 1}}, {}}, PlaneTruth());
  EXPECT_EQ(reason_of(metrics, "mesh_accuracy_mean_mm"), "the mesh has no triangles");
  EXPECT_EQ(value_of(metrics, "mesh_components"), 0);
}

// The truth is the half of the plane at x <= 0, as a mesh with borders; the reconstruction is all of the
// plane, 0.5 mm off. Of its half beyond the border nothing is scored: half the area remains, of area ratio 1.
TEST(MeshScore, OfAPartialTruthIsThatOfTheScoredPart) {
  const auto truth = make_mesh_surface(PlaneTruth(0, {-0.25, 0, -0.15, 0.15}).mesh(0.005));
  const TriangleMesh mesh = shifted(PlaneTruth().mesh(0.005), {0, 0, 0.0005});
  const auto score = [&](const ScoredPart& part, const TriangleMesh& scored, const Surface& surface) {
    ScoreOptions options;
    options.sample_spacing_m = 0.002;
    options.part = part;
    return score_reconstruction({{}, scored, {}}, surface, options).metrics;
  };
  const MetricSet partial =
      score({.crop = {}, .max_distance_m = {}, .leave_out_beyond_border = true}, mesh, *truth);
  EXPECT_NEAR(value_of(partial, "mesh_area_ratio"), 1, 0.002);
  EXPECT_NEAR(value_of(partial, "mesh_accuracy_mean_mm"), 0.5, 1e-9);
  EXPECT_NEAR(value_of(partial, "mesh_completeness_mean_mm"), 0.5, 1e-9);
  EXPECT_NEAR(value_of(partial, "mesh_normal_consistency"), 1, 1e-12);
  // Without a border the other half counts: 125 mm off on average, as the closest truth is the line x = 0.
  const MetricSet whole = score({}, mesh, *truth);
  EXPECT_NEAR(value_of(whole, "mesh_area_ratio"), 2, 1e-9);
  EXPECT_NEAR(value_of(whole, "mesh_accuracy_mean_mm"), (0.5 + 125) / 2, 1);
}

// A crop cuts both surfaces: of a 0.5 x 0.3 m plane the third at y <= -0.05 remains.
TEST(MeshScore, ACropCutsMeshAndTruth) {
  ScoreOptions options;
  options.sample_spacing_m = 0.002;
  add_crop(options.part.crop, "y:-1,-0.05");
  TriangleMesh mesh = PlaneTruth().mesh(0.005);
  for (Vec3& vertex : mesh.vertices_m) vertex.z() += vertex.y() > -0.04 ? 0.05 : 0.001;
  const MetricSet metrics = score_reconstruction({{}, mesh, {}}, PlaneTruth(), options).metrics;
  EXPECT_NEAR(value_of(metrics, "mesh_area_ratio"), 1, 0.005);
  EXPECT_NEAR(value_of(metrics, "mesh_accuracy_mean_mm"), 1, 0.01);
  options.part.crop = {};
  add_crop(options.part.crop, "y:1,2");
  EXPECT_EQ(reason_of(score_reconstruction({{}, mesh, {}}, PlaneTruth(), options).metrics, "mesh_area_ratio"),
            "no part of the truth lies in the crop");
}

// A third of the mesh hangs 30 mm away: beyond the largest distance it is not scored, and its area is
// missing.
TEST(MeshScore, PartsBeyondTheLargestDistanceAreNotScored) {
  ScoreOptions options;
  options.sample_spacing_m = 0.002;
  options.part.max_distance_m = 0.01;
  TriangleMesh mesh = PlaneTruth(0, {-0.25, 0.25, -0.15, 0.05}).mesh(0.005);
  const TriangleMesh away = shifted(PlaneTruth(0, {-0.25, 0.25, 0.05, 0.15}).mesh(0.005), {0, 0, 0.03});
  const auto first = static_cast<std::uint32_t>(mesh.vertices_m.size());
  mesh.vertices_m.insert(mesh.vertices_m.end(), away.vertices_m.begin(), away.vertices_m.end());
  for (const auto& [a, b, c] : away.triangles) mesh.triangles.push_back({a + first, b + first, c + first});
  const MetricSet metrics = score_reconstruction({{}, mesh, {}}, PlaneTruth(), options).metrics;
  EXPECT_NEAR(value_of(metrics, "mesh_area_ratio"), 2.0 / 3, 0.002);
  EXPECT_LT(value_of(metrics, "mesh_accuracy_mean_mm"), 1e-9);
}

}  // namespace
}  // namespace aqbench
