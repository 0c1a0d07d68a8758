// Scores on the undulating surface, whose slopes tell distances along the normal from heights, and whose
// curvature tells the surface from a mesh of it.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "metrics/neighbours/nearest_neighbour.h"
#include "metrics/scored_points.h"
#include "scenes/surfaces/mesh_surface.h"
#include "scenes/surfaces/shapes.h"
#include "tests/metrics/truth.h"

namespace aqbench {
namespace {

using test::reason_of;
using test::value_of;

ScoreOptions coarse_samples() {
  ScoreOptions options;
  options.sample_spacing_m = 0.002;
  return options;
}

TEST(Undulating, APerfectCloudHasNoError) {
  const auto truth = make_undulating({}, {});
  const MetricSet metrics =
      test::score_cloud(test::noisy_cloud(*truth, 50000, 0, 0, 1), *truth, coarse_samples());
  EXPECT_LT(value_of(metrics, "accuracy_max_mm"), 1e-9);
  EXPECT_EQ(value_of(metrics, "precision_0.5mm_pct"), 100);
}

// Where truth is a set of points s apart, a perfect cloud errs by the mean distance to a square lattice.
TEST(Undulating, ATruthOfPointsWouldPutAFloorUnderTheError) {
  const test::PlaneTruth plane;
  std::vector<Vec3> lattice;
  for (double x = -0.25; x < 0.2505; x += 0.002) {
    for (double y = -0.15; y < 0.1505; y += 0.002) lattice.push_back(plane.at(x, y));
  }
  double sum = 0;
  constexpr std::size_t kPoints = 20000;
  for (const double d :
       cloud_to_cloud_distances_m(test::noisy_cloud(plane, kPoints, 0, 0, 2).points_m, lattice))
    sum += d;
  EXPECT_NEAR(sum / kPoints, 0.3826 * 0.002, 4 * 0.142 * 0.002 / std::sqrt(double{kPoints}));
}

// Noise of 1 mm on three axes: along the normal it averages 0.796 mm (curvature takes 0.002), as a difference
// of heights 0.914 mm.
TEST(Undulating, ErrorsAreAlongTheNormalNotHeights) {
  const auto truth = make_undulating({}, {});
  constexpr std::size_t kPoints = 200000;
  const PointCloud cloud = test::noisy_cloud_3d(*truth, kPoints, 0.001, 3);
  const MetricSet metrics = test::score_cloud(cloud, *truth, coarse_samples());
  const double standard_error = 0.6028 / std::sqrt(double{kPoints});
  EXPECT_NEAR(value_of(metrics, "accuracy_mean_mm"), 0.796, 4 * standard_error + 0.0005);
  double sum_m = 0;
  std::size_t inside = 0;
  for (const Vec3& point : cloud.points_m) {
    if (!truth->patch()->contains(point.x(), point.y())) continue;
    sum_m += std::abs(point.z() - truth->jet(point.x(), point.y()).z);
    ++inside;
  }
  EXPECT_NEAR(1000 * sum_m / static_cast<double>(inside), 0.914, 1.2 * 4 * standard_error + 0.0005);
}

// Truth as a mesh of 5 mm pitch is off by its chord error: A k^2 h^2 / 8 = 0.25 mm along x and 0.15 mm along
// y. All that the two truths disagree on is below that, and it shrinks with the square of the pitch.
TEST(Undulating, MeshTruthDisagreesByItsChordError) {
  const auto analytic = make_undulating({}, {});
  const std::vector<Vec3> points = test::noisy_cloud(*analytic, 20000, 0, 0, 4).points_m;
  const auto mean_and_max_mm = [&](double pitch_m) {
    const auto mesh = make_mesh_surface(analytic->mesh(pitch_m));
    const ErrorSummary errors = summarize_errors(score_points(points, *mesh).signed_error_m);
    return std::pair(1000 * errors.mean_m, 1000 * errors.max_m);
  };
  const auto chord_mm = [](double wavelength_m, double pitch_m) {
    const double k = 2 * 3.14159265358979 / wavelength_m;
    return 1000 * 0.005 * k * k * pitch_m * pitch_m / 8;
  };
  EXPECT_NEAR(chord_mm(0.05, 0.005), 0.247, 0.001);
  EXPECT_NEAR(chord_mm(0.065, 0.005), 0.146, 0.001);
  const auto [mean_mm, max_mm] = mean_and_max_mm(0.005);
  EXPECT_LE(max_mm, chord_mm(0.05, 0.005) + chord_mm(0.065, 0.005));
  EXPECT_GT(max_mm, 0.25);
  EXPECT_GT(mean_mm, 0.05);  // far above zero, which is what a perfect cloud should have
  const auto [fine_mean_mm, fine_max_mm] = mean_and_max_mm(0.001);
  EXPECT_LE(fine_max_mm, chord_mm(0.05, 0.001) + chord_mm(0.065, 0.001) + 1e-4);
  EXPECT_NEAR(fine_mean_mm, mean_mm / 25, 0.1 * mean_mm / 25);
}

TEST(Undulating, MeshAndAnalyticTruthAgreeOnANoisyCloudWithinTheChordError) {
  const auto analytic = make_undulating({}, {});
  const auto mesh = make_mesh_surface(analytic->mesh(0.001));
  const PointCloud cloud = test::noisy_cloud(*analytic, 20000, 0.001, 0, 5);
  const MetricSet by_formula = test::score_cloud(cloud, *analytic, coarse_samples());
  const MetricSet by_mesh = test::score_cloud(cloud, *mesh, coarse_samples());
  const double chord_mm = 0.016;  // at 1 mm pitch
  for (const char* name :
       {"accuracy_mean_mm", "accuracy_median_mm", "accuracy_p95_mm", "bias_mean_mm", "nmad_mm"}) {
    EXPECT_NEAR(value_of(by_mesh, name), value_of(by_formula, name), chord_mm) << name;
  }
  EXPECT_NEAR(value_of(by_mesh, "point_density_pct"), value_of(by_formula, "point_density_pct"), 0.01);
  // Random in both, as the samples differ.
  EXPECT_NEAR(value_of(by_mesh, "completeness_2mm_pct"), value_of(by_formula, "completeness_2mm_pct"), 1);
  EXPECT_EQ(reason_of(by_mesh, "completeness_inset_2mm_pct"), "the true surface has no patch to inset");
  EXPECT_EQ(reason_of(by_mesh, "tile_empty_pct"), "the true surface has no patch to cut into tiles");
}

TEST(Undulating, DensityIsPerTrueArea) {
  const auto truth = make_undulating({}, {});
  EXPECT_NEAR(truth->area_m2() / 0.15, 1.143, 0.0005);
  const MetricSet metrics =
      test::score_cloud(test::noisy_cloud(*truth, 900, 0, 0, 6), *truth, coarse_samples());
  EXPECT_NEAR(value_of(metrics, "point_density_pct"), 100 * 900 / (truth->area_m2() * 1e6), 1e-12);
  EXPECT_NEAR(value_of(metrics, "point_density_pct"), 0.526, 0.002);
}

TEST(Undulating, ItsOwnMeshIsCompleteAndAccurateToTheChordError) {
  const auto truth = make_undulating({}, {});
  const Reconstruction reconstruction{{}, truth->mesh(0.002), {}};
  const MetricSet metrics = score_reconstruction(reconstruction, *truth, coarse_samples()).metrics;
  EXPECT_LT(value_of(metrics, "mesh_accuracy_mean_mm"), 0.063);  // the chord error at 2 mm
  EXPECT_GT(value_of(metrics, "mesh_accuracy_mean_mm"), 0.005);
  EXPECT_NEAR(value_of(metrics, "mesh_completeness_mean_mm"), value_of(metrics, "mesh_accuracy_mean_mm"),
              0.002);
  EXPECT_GT(value_of(metrics, "mesh_normal_consistency"), 0.99);
  EXPECT_NEAR(value_of(metrics, "mesh_area_ratio"), 1, 0.005);
  EXPECT_EQ(value_of(metrics, "mesh_components"), 1);
}

}  // namespace
}  // namespace aqbench
