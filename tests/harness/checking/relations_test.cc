#include "harness/checking/relations.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/error.h"
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

}  // namespace
}  // namespace aqbench
