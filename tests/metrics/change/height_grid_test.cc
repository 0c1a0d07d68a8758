#include "metrics/change/change.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <functional>

#include "core/random.h"

namespace aqbench {
namespace {

constexpr RandomKey kDrawKey{11, RandomStream::point_noise};
using Height = std::function<double(double x, double y)>;

double flat(double, double) { return 0; }
// Its volume is 2 pi 0.03 0.05^2.
double mound(double x, double y) { return 0.03 * std::exp(-(x * x + y * y) / (2 * 0.05 * 0.05)); }
constexpr double kMoundVolume = 2 * M_PI * 0.03 * 0.05 * 0.05;

TriangleMesh mesh_of(const Height& height, double pitch_m) {
  TriangleMesh mesh;
  const auto side = static_cast<std::uint32_t>(std::lround(0.8 / pitch_m)) + 1;
  for (std::uint32_t row = 0; row < side; ++row)
    for (std::uint32_t column = 0; column < side; ++column) {
      const double x = -0.4 + pitch_m * column, y = -0.4 + pitch_m * row;
      mesh.vertices_m.emplace_back(x, y, height(x, y));
      if (row == 0 || column == 0) continue;
      const std::uint32_t here = row * side + column;
      mesh.triangles.push_back({here, here - 1, here - side});
      mesh.triangles.push_back({here - 1, here - side - 1, here - side});
    }
  return mesh;
}

std::vector<Vec3> cloud_of(const Height& height, std::size_t count, double sigma_m, std::uint32_t slot) {
  std::vector<Vec3> points;
  for (std::size_t i = 0; i < count; ++i) {
    const auto place = uniform01_pair(kDrawKey, i, 2 * slot);
    const double x = 0.8 * place[0] - 0.4, y = 0.8 * place[1] - 0.4;
    points.emplace_back(x, y, height(x, y) + sigma_m * normal_pair(kDrawKey, i, 2 * slot + 1)[0]);
  }
  return points;
}

TEST(HeightChange, TheVolumeOfAMoundIsItsIntegral) {
  const TriangleMesh before = mesh_of(flat, 0.1), after = mesh_of(mound, 0.002);
  const GridPlace place = shared_grid(before.vertices_m, after.vertices_m, 0.0037);
  const HeightChange change = compare_heights(heights_of_mesh(before, place), heights_of_mesh(after, place));
  EXPECT_NEAR(change.volume_m3.value / kMoundVolume, 1, 1e-6);
  EXPECT_NEAR(change.gained_m3 / kMoundVolume, 1, 1e-6);
  EXPECT_EQ(change.lost_m3, 0);
  EXPECT_FALSE(change.volume_m3.low) << "a mesh does not show its noise";
  EXPECT_EQ(change.cells_unmatched, 0U);
  const HeightChange back = compare_heights(heights_of_mesh(after, place), heights_of_mesh(before, place));
  EXPECT_NEAR(back.volume_m3.value / kMoundVolume, -1, 1e-6);
  EXPECT_NEAR(back.lost_m3 / kMoundVolume, 1, 1e-6);
}

// The sum of its prisms, whatever the cells.
double volume_under(const TriangleMesh& mesh) {
  double volume = 0;
  for (const auto& [a, b, c] : mesh.triangles) {
    const Vec3 &p = mesh.vertices_m[a], &q = mesh.vertices_m[b], &r = mesh.vertices_m[c];
    volume += std::abs((q - p).cross(r - p).z()) / 2 * (p.z() + q.z() + r.z()) / 3;
  }
  return volume;
}

double rough(double x, double y) { return 0.003 * std::sin(900 * x + 4 * y) * std::cos(700 * y); }

TEST(HeightChange, TheVolumeOfACoarseMeshIsThatOfItsTriangles) {
  for (const double cell_m : {0.013, 0.05, 0.077, 0.3}) {
    const TriangleMesh before = mesh_of(flat, 0.1), after = mesh_of(mound, 0.0125);
    const GridPlace place = shared_grid(before.vertices_m, after.vertices_m, cell_m);
    const HeightChange change =
        compare_heights(heights_of_mesh(before, place), heights_of_mesh(after, place));
    EXPECT_NEAR(change.volume_m3.value / volume_under(after), 1, 1e-9) << cell_m;
    EXPECT_NEAR(change.ground_area_m2, 0.64, 1e-12);
    TriangleMesh was = mesh_of(rough, 0.01), is = was;
    for (Vec3& vertex : is.vertices_m) vertex.z() += 0.002;
    const auto both = shared_grid(was.vertices_m, is.vertices_m, cell_m);
    const HeightChange grown = compare_heights(heights_of_mesh(was, both), heights_of_mesh(is, both));
    EXPECT_NEAR(grown.volume_m3.value, 0.002 * 0.64, 1e-9) << cell_m;
  }
}

// Ridges of one slope: their area is known, whatever the cells and however often a face is there.
TEST(HeightChange, RugosityOfAMeshIsThatOfItsFaces) {
  const auto ridges = [](double x, double) {
    return std::sqrt(0.21) * std::abs(std::remainder(x + 1e-9, 0.02));
  };
  TriangleMesh before = mesh_of(flat, 0.1), after = mesh_of(ridges, 0.01);
  for (const double cell_m : {0.025, 0.07, 0.4}) {
    const GridPlace place = shared_grid(before.vertices_m, after.vertices_m, cell_m);
    const HeightChange change =
        compare_heights(heights_of_mesh(before, place), heights_of_mesh(after, place));
    ASSERT_TRUE(change.rugosity_after) << change.no_area_reason;
    EXPECT_NEAR(change.rugosity_before->value, 1, 1e-12);
    EXPECT_NEAR(change.rugosity_after->value, 1.1, 1e-6) << cell_m;
    EXPECT_NEAR(change.area_after_m2->value, 1.1 * 0.64, 1e-6) << cell_m;
    after.triangles.insert(after.triangles.end(), after.triangles.begin(), after.triangles.end());
  }
}

// A ball on the ground as a body of its own: the volume of what is seen from above.
TEST(HeightChange, OfSurfacesAboveEachOtherTheHighestCounts) {
  TriangleMesh before = mesh_of(flat, 0.1), after = before;
  const auto first = static_cast<std::uint32_t>(after.vertices_m.size());
  constexpr std::uint32_t kSteps = 120;
  const double radius_m = 0.1;
  for (std::uint32_t i = 0; i <= kSteps; ++i)
    for (std::uint32_t k = 0; k < 2 * kSteps; ++k) {
      const double polar = M_PI * i / kSteps, around = M_PI * k / kSteps;
      after.vertices_m.emplace_back(radius_m * std::sin(polar) * std::cos(around),
                                    radius_m * std::sin(polar) * std::sin(around),
                                    radius_m * (1 + std::cos(polar)));
      if (i == 0) continue;
      const std::uint32_t here = first + i * 2 * kSteps + k,
                          next = first + i * 2 * kSteps + (k + 1) % (2 * kSteps);
      after.triangles.push_back({here, next, here - 2 * kSteps});
      after.triangles.push_back({next, next - 2 * kSteps, here - 2 * kSteps});
    }
  const GridPlace place = shared_grid(before.vertices_m, after.vertices_m, 0.05);
  const HeightChange change = compare_heights(heights_of_mesh(before, place), heights_of_mesh(after, place));
  const double expected =
      M_PI * radius_m * radius_m * radius_m * (1 + 2.0 / 3);  // a cylinder and half a ball
  EXPECT_NEAR(change.volume_m3.value / expected, 1, 0.005);
  EXPECT_NEAR(change.ground_area_m2, 0.64, 1e-9);
}

TEST(HeightChange, TenMillimetresOnASquareMetreAreTenLitresAtEveryCell) {
  const auto square = [](std::uint32_t slot, double z, double turn) {
    std::vector<Vec3> points;
    for (std::size_t i = 0; i < 40000; ++i) {
      const auto place = uniform01_pair(kDrawKey, i, slot);
      points.emplace_back(std::cos(turn) * place[0] - std::sin(turn) * place[1],
                          std::sin(turn) * place[0] + std::cos(turn) * place[1],
                          z + 0.001 * normal_pair(kDrawKey, i, slot + 1)[0]);
    }
    return points;
  };
  for (const double turn : {0.0, 0.6}) {
    const auto before = square(700, 0, turn), after = square(702, 0.01, turn);
    for (const double cell_m : {0.008, 0.02, 0.031, 0.05, 0.2, 0.35}) {
      const GridPlace place = shared_grid(before, after, cell_m);
      const HeightChange change =
          compare_heights(heights_of_cloud(before, place), heights_of_cloud(after, place));
      EXPECT_NEAR(change.volume_m3.value, 0.01, turn == 0 ? 5e-5 : 4e-4) << cell_m << " " << turn;
      EXPECT_NEAR(change.ground_area_m2, 1, turn == 0 ? 2e-3 : 0.04) << cell_m << " " << turn;
    }
  }
}

// One cell of 6 points in each state: the normal distribution would find a change in 13 % of them.
TEST(HeightChange, FewPointsGainNothingMoreOftenThanTheyShould) {
  int found = 0;
  constexpr int kRuns = 4000;
  const GridPlace place{0, 0, 1, 1, 1, 1, 1};
  for (int run = 0; run < kRuns; ++run) {
    std::vector<Vec3> states[2];
    for (std::uint32_t i = 0; i < 12; ++i) {
      const auto at = uniform01_pair(kDrawKey, i, static_cast<std::uint32_t>(5000 + 2 * run));
      states[i % 2].emplace_back(at[0], at[1],
                                 normal_pair(kDrawKey, i, static_cast<std::uint32_t>(5001 + 2 * run))[0]);
    }
    const HeightChange change =
        compare_heights(heights_of_cloud(states[0], place), heights_of_cloud(states[1], place));
    found += change.gained_m3 + change.lost_m3 > 0 ? 1 : 0;
  }
  EXPECT_LT(found, kRuns * 0.06);
  EXPECT_GT(found, kRuns * 0.02);
}

TEST(HeightChange, NoiseAsLargeAsTheCellsHasNoRugosity) {
  const auto before = cloud_of(flat, 40000, 0.02, 910), after = cloud_of(flat, 40000, 0.02, 911);
  const GridPlace place = shared_grid(before, after, 0.015);
  const HeightChange change =
      compare_heights(heights_of_cloud(before, place), heights_of_cloud(after, place));
  EXPECT_FALSE(change.rugosity_before);
  EXPECT_NE(change.no_area_reason.find("give a larger --cell-mm"), std::string::npos);
}

TEST(HeightChange, AreaAndRugosityOfASlopeAreThoseOfThePlane) {
  const TriangleMesh before = mesh_of(flat, 0.1),
                     after = mesh_of([](double x, double y) { return 0.75 * x + y; }, 0.1);
  const GridPlace place = shared_grid(before.vertices_m, after.vertices_m, 0.01);
  const HeightChange change = compare_heights(heights_of_mesh(before, place), heights_of_mesh(after, place));
  ASSERT_TRUE(change.rugosity_after);
  EXPECT_NEAR(change.rugosity_before->value, 1, 1e-12);
  EXPECT_NEAR(change.rugosity_after->value, std::sqrt(1 + 0.75 * 0.75 + 1), 1e-12);
  EXPECT_NEAR(change.area_after_m2->value / change.area_before_m2->value, std::sqrt(1 + 0.75 * 0.75 + 1),
              1e-12);
}

TEST(HeightChange, IntervalsOfVolumeCoverTheTruth) {
  int covered = 0;
  constexpr int kRuns = 200;
  for (int run = 0; run < kRuns; ++run) {
    const auto slot = static_cast<std::uint32_t>(2 * run);
    const auto before = cloud_of(flat, 8000, 0.003, slot), after = cloud_of(mound, 8000, 0.003, slot + 1);
    const GridPlace place = shared_grid(before, after, 0.04);
    const HeightChange change =
        compare_heights(heights_of_cloud(before, place), heights_of_cloud(after, place));
    ASSERT_TRUE(change.volume_m3.low && change.volume_m3.high);
    covered += *change.volume_m3.low <= kMoundVolume && kMoundVolume <= *change.volume_m3.high ? 1 : 0;
  }
  EXPECT_GE(covered, 180) << "95 % of 200 runs, less 3 standard deviations";
}

TEST(HeightChange, NoiseAloneMakesNoRugosity) {
  const auto before = cloud_of(flat, 40000, 0.004, 900), after = cloud_of(flat, 40000, 0.004, 901);
  const GridPlace place = shared_grid(before, after, 0.02);
  const HeightChange change =
      compare_heights(heights_of_cloud(before, place), heights_of_cloud(after, place));
  ASSERT_TRUE(change.rugosity_before && change.rugosity_before->low);
  EXPECT_LE(*change.rugosity_before->low, 1);
  EXPECT_NEAR(change.rugosity_before->value, 1, 5e-4);
  EXPECT_LT(std::abs(change.gained_m3 - change.lost_m3), 2e-5);
}

TEST(HeightChange, ARegistrationErrorMovesAllHeightsTogether) {
  const TriangleMesh mesh = mesh_of(flat, 0.1);
  const auto points = cloud_of(flat, 40000, 0.001, 7);
  const GridPlace place = shared_grid(points, mesh.vertices_m, 0.02);
  const HeightGrid grid = heights_of_cloud(points, place);
  const HeightChange change = compare_heights(grid, grid, 0.002);
  ASSERT_TRUE(change.volume_m3.high);
  EXPECT_EQ(change.volume_m3.value, 0);
  EXPECT_NEAR(*change.volume_m3.high / (1.96 * 0.002 * change.ground_area_m2), 1, 0.01);
}

TEST(HeightsOfMesh, TakesTheHighestAndLeavesVerticalFacesOut) {
  TriangleMesh mesh;
  mesh.vertices_m = {{0, 0, 1}, {2, 0, 1}, {0, 2, 1}, {0, 0, 3}, {2, 0, 3},
                     {0, 2, 3}, {1, 0, 9}, {1, 2, 9}, {1, 1, 0}};
  mesh.triangles = {{0, 1, 2}, {3, 5, 4}, {6, 7, 8}};
  const HeightGrid grid = heights_of_mesh(mesh, {0, 0, 0.5, 4, 4, 2, 2});
  EXPECT_EQ(grid.height_m[0], 3);
  EXPECT_TRUE(std::isnan(grid.height_m[15])) << "beyond the triangles";
}

TEST(HeightsOfCloud, AreThoseOfAPlaneAtTheCentre) {
  std::vector<Vec3> points;
  for (int i = 0; i < 40; ++i) {
    const double x = 0.1 * std::fmod(i * 0.37, 1), y = 0.1 * std::fmod(i * 0.61, 1);
    points.emplace_back(x, y, 5 + 2 * x - y);
  }
  const HeightGrid grid = heights_of_cloud(points, {0, 0, 0.1, 1, 1, 0.1, 0.1});
  EXPECT_NEAR(grid.height_m[0], 5 + 2 * 0.05 - 0.05, 1e-12);
  EXPECT_NEAR(grid.standard_error_m[0], 0, 1e-7);
  points.resize(4);
  EXPECT_TRUE(std::isnan(heights_of_cloud(points, {0, 0, 0.1, 1, 1, 0.1, 0.1}).height_m[0]));
}

TEST(SharedGrid, RefusesStatesThatDoNotOverlap) {
  const std::vector<Vec3> here{{0, 0, 0}, {1, 1, 0}}, there{{5, 5, 0}, {6, 6, 0}};
  EXPECT_EQ(shared_grid(here, there, 0.1).columns, 0U);
  EXPECT_THROW(shared_grid(here, here, 1e-9), std::exception);
  EXPECT_EQ(shared_grid(here, here, 0.3).columns, 3U);
}

}  // namespace
}  // namespace aqbench
