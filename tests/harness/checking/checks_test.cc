#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "harness/checking/checks.h"
#include "scenes/optics/camera.h"

namespace aqbench {
namespace {

Recording recording_of(int cameras, bool water) {
  Recording recording;
  recording.images.resize(2);
  for (int i = 0; i < cameras; ++i) {
    Camera camera;
    camera.name = "cam" + std::to_string(i);
    camera.camera_from_world.rotation = (Mat3() << 0.8, 0.6, 0, -0.6, 0.8, 0, 0, 0, 1).finished();
    camera.camera_from_world.translation_m = Vec3(0.1 * i, 0.2, 0.3);
    if (water) camera.interface = WaterInterface{};
    recording.rig.cameras.push_back(camera);
    for (int f = 0; f < 2; ++f) recording.images[f].push_back(camera.name + "-" + std::to_string(f));
  }
  return recording;
}

const Relation& named(const std::vector<Relation>& relations, const std::string& name) {
  return *std::ranges::find(relations, name, &Relation::name);
}

// A point that a camera sees at a place is seen there, scaled, in the changed world; going back gives the
// point.
TEST(Relations, ChangedWorldsShowTheSame) {
  for (const bool water : {true, false}) {
    const Recording recording = recording_of(4, water);
    for (const Relation& relation : relations_of(recording)) {
      const Similarity& back = relation.original_from_changed;
      const Vec3 changed(0.3, -0.2, 1.7), point = back.linear * changed + back.translation_m;
      for (const Camera& before : recording.rig.cameras) {
        const auto& order = recording.rig.cameras;
        const std::size_t i = static_cast<std::size_t>(&before - order.data());
        const std::size_t j = relation.name == "permuted" ? order.size() - 1 - i : i;
        const Camera& after = relation.recording.rig.cameras[j];
        const Vec3 seen = before.camera_from_world.rotation * point + before.camera_from_world.translation_m;
        const Vec3 now = after.camera_from_world.rotation * changed + after.camera_from_world.translation_m;
        EXPECT_LT((now * back.scale - seen).norm(), 1e-12) << relation.name;
        if (water) {
          const double to_water = level_water(before)->water_z_m - point.z();
          EXPECT_NEAR((level_water(after)->water_z_m - changed.z()) * back.scale, to_water, 1e-12)
              << relation.name;
        }
      }
    }
  }
}

TEST(Relations, ImagesStayWithTheirCameras) {
  const Recording recording = recording_of(3, false);
  const std::vector<Relation> relations = relations_of(recording);
  const Recording& permuted = named(relations, "permuted").recording;
  EXPECT_EQ(permuted.rig.cameras[0].name, "cam2");
  EXPECT_EQ(permuted.images[1][0], "cam2-1");
  const Recording& renamed = named(relations, "renamed").recording;
  EXPECT_EQ(renamed.images[0][0], "cam0-0");
  EXPECT_GT(renamed.rig.cameras[0].name, renamed.rig.cameras[2].name);
  const Recording& doubled = named(relations, "doubled").recording;
  ASSERT_EQ(doubled.rig.cameras.size(), 4u);
  EXPECT_EQ(doubled.rig.cameras[3].name, "cam1_again");
  EXPECT_EQ(doubled.images[0][3], "cam1-0");
  EXPECT_FALSE(doubled.is_whole);
}

TEST(Relations, HalvesShareNoImage) {
  const std::vector<Recording> halves = halves_of(recording_of(7, false));
  EXPECT_EQ(halves[0].rig.cameras.size(), 4u);
  EXPECT_EQ(halves[1].rig.cameras.size(), 3u);
  EXPECT_EQ(halves[1].images[0][0], "cam1-0");
  EXPECT_THROW(halves_of(recording_of(5, false)), Error);
}

std::vector<Vec3> grid(double spacing_m, const Vec3& shift_m = Vec3::Zero()) {
  std::vector<Vec3> points;
  for (int i = 0; i < 20; ++i)
    for (int j = 0; j < 20; ++j) points.push_back(Vec3(spacing_m * i, spacing_m * j, 0) + shift_m);
  return points;
}

TEST(CloudDifference, IsTheShiftOfASurfaceAndZeroOfTheSame) {
  const std::vector<Vec3> base = grid(0.01);
  const CloudDifference same = cloud_difference(base, base);
  EXPECT_EQ(same.median_m, 0);
  EXPECT_EQ(same.p95_m, 0);
  const CloudDifference moved = cloud_difference(base, grid(0.01, {0, 0, 0.003}));
  EXPECT_NEAR(moved.median_m, 0.003, 1e-15);
  EXPECT_NEAR(moved.p95_m, 0.003, 1e-15);
  EXPECT_EQ(moved.points_b, 400u);
  EXPECT_THROW(cloud_difference(base, {}), Error);
}

// What one cloud alone has is seen in its direction.
TEST(CloudDifference, TakesTheLargerOfBothDirections) {
  const std::vector<Vec3> base = grid(0.01);
  std::vector<Vec3> more = base;
  for (const Vec3& point : base)
    if (point.x() < 0.02) more.push_back(point + Vec3(0, 0, 0.5));  // 40 of 440
  EXPECT_NEAR(cloud_difference(base, more).p95_m, 0.5, 1e-12);
  EXPECT_EQ(cloud_difference(base, more).median_m, 0);
}

TEST(CloudDifference, TheExtentIsTheDiagonal) {
  EXPECT_NEAR(extent_m(grid(0.01)), 0.19 * std::sqrt(2.0), 1e-12);
  EXPECT_EQ(extent_m({}), 0);
}

TEST(CloudDifference, TheSpacingIsThatOfTheGrid) {
  EXPECT_NEAR(median_spacing_m(grid(0.01)), 0.01, 1e-12);
  EXPECT_THROW(median_spacing_m(std::vector<Vec3>(1)), Error);
}

// Dry cameras in a row that look along z at the plane z = 2 m, and their depths along the ray.
Rig row_of_cameras(int count) {
  Rig rig;
  for (int i = 0; i < count; ++i) {
    Camera camera;
    camera.name = "cam" + std::to_string(i);
    camera.intrinsics.K << 100, 0, 31.5, 0, 100, 23.5, 0, 0, 1;
    camera.intrinsics.width_px = 64;
    camera.intrinsics.height_px = 48;
    camera.camera_from_world.translation_m = Vec3(-0.1 * i * (i + 1) / 2, 0, 0);
    rig.cameras.push_back(camera);
  }
  return rig;
}

DepthMap plane_map(const Camera& camera, double z_m) {
  DepthMap map{camera.name, 64, 48, {}, {}};
  for (int y = 0; y < 48; ++y)
    for (int x = 0; x < 64; ++x)
      map.depth_along_ray_m.push_back(
          static_cast<float>(z_m * Vec3((x - 31.5) / 100, (y - 23.5) / 100, 1).norm()));
  return map;
}

TEST(DepthAgreement, TrueDepthsAgreeAtEveryBaselineAndWrongOnesLessTheLongerItIs) {
  const Rig rig = row_of_cameras(4);
  std::vector<DepthMap> maps;
  for (const Camera& camera : rig.cameras) maps.push_back(plane_map(camera, 2));
  const auto groups = depth_agreement(maps, rig);
  ASSERT_EQ(groups.size(), 3u);
  for (const BaselineGroup& group : groups) EXPECT_LT(group.reprojection_px, 1e-3);
  EXPECT_NEAR(groups[0].least_m, 0.1, 1e-12);
  EXPECT_NEAR(groups[2].most_m, 0.6, 1e-12);
  EXPECT_EQ(groups[0].pairs + groups[1].pairs + groups[2].pairs, 6u);
  // Every second camera is 5 % off.
  for (std::size_t i = 1; i < maps.size(); i += 2) maps[i] = plane_map(rig.cameras[i], 2.1);
  const auto wrong = depth_agreement(maps, rig);
  EXPECT_GT(wrong[2].reprojection_px, 0.1);
  EXPECT_TRUE(depth_agreement({}, rig).empty());
}

}  // namespace
}  // namespace aqbench
