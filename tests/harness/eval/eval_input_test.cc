// A cloud that stays on the disk is moved, checked and scored as the same one in memory.

#include "harness/eval/eval_cloud.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "metrics/score.h"
#include "scenes/cloud/ply.h"
#include "scenes/registry.h"
#include "tests/core/error_matcher.h"
#include "tests/temporary_directory.h"

namespace aqbench {
namespace {

void place(const EvalCloudRequest& request, const Surface& truth, std::size_t most_in_memory = 1000000) {
  Output output = open_cloud(request, most_in_memory);
  place_cloud(output, truth, place_options(request, output));
}

using ::testing::HasSubstr;

// Points of the scene in another unit.
PointCloud scene_points(const Surface& truth, double units_per_metre) {
  PointCloud cloud;
  cloud.points_m.resize(3000);
  truth.sample_positions(1, 0, cloud.points_m);
  for (Vec3& point : cloud.points_m) point *= units_per_metre;
  return cloud;
}

TEST(EvalInput, IsTheSameFromTheDiskAndFromMemory) {
  const TemporaryDirectory directory;
  const Scene scene = make_scene("step", {});
  const Surface& truth = *scene.truth.surface;
  EvalCloudRequest request;
  request.cloud_file = (directory.path() / "c.ply").string();
  write_ply_cloud(request.cloud_file, scene_points(truth, 1000));
  request.metres_per_unit = 0.001;
  request.place.transform_file =
      directory.file("t.txt", "1 0 0 0.001\n0 1 0 0\n0 0 1 0.0005\n0 0 0 1\n").string();
  Output in_memory = open_cloud(request), on_disk = open_cloud(request, 2999);
  EXPECT_FALSE(in_memory.blocks);
  ASSERT_TRUE(on_disk.blocks);
  const Placement placed = place_cloud(in_memory, truth, place_options(request, in_memory)),
                  other_placed = place_cloud(on_disk, truth, place_options(request, on_disk));
  EXPECT_EQ(placed.notes, other_placed.notes);
  EXPECT_TRUE(placed.transforms == other_placed.transforms);
  const auto metrics_of = [&](const Output& output) {
    return with_cloud(output, [&](const CloudBlocks& cloud) {
      return score_blocks(cloud, nullptr, truth, {}, {}, {.whole = 1, .searched = 999, .scored = 1001})
          .metrics;
    });
  };
  const MetricSet one = metrics_of(in_memory), other = metrics_of(on_disk);
  ASSERT_EQ(one.size(), other.size());
  for (std::size_t i = 0; i < one.size(); ++i)
    EXPECT_EQ(one[i].second.value, other[i].second.value) << one[i].first;
}

TEST(EvalInput, PointsOfTheHostStayWhereTheyAreUnlessTheySearchForTheTruth) {
  const std::vector<Vec3> points(5, Vec3(0, 0, 1));
  EvalCloudRequest request;
  request.cloud_file = "ours";
  request.host.geometries = {{.name = "ours", .points = points}};
  const Output in_place = open_cloud(request);
  ASSERT_TRUE(in_place.blocks);
  in_place.blocks->read(9, [&](const CloudBlock& block) { EXPECT_EQ(block.points_m.data(), points.data()); });
  request.place.steps = {"icp"};
  EXPECT_EQ(open_cloud(request).reconstruction.cloud.points_m, points);
}

TEST(EvalInput, OnTheDiskIsRefusedInAnotherUnit) {
  const TemporaryDirectory directory;
  const Scene scene = make_scene("flat_plane", {});
  EvalCloudRequest request;
  request.cloud_file = (directory.path() / "c.ply").string();
  write_ply_cloud(request.cloud_file, scene_points(*scene.truth.surface, 1000));
  EXPECT_THAT(error_of(ErrorKind::input, [&] { place(request, *scene.truth.surface, 10); }),
              HasSubstr("coordinates look like millimetres"));
}

TEST(EvalInput, MeshWithAVertexThatIsNotFiniteIsRefusedByItsFile) {
  const TemporaryDirectory directory;
  const Scene scene = make_scene("flat_plane", {});
  EvalCloudRequest request;
  request.cloud_file =
      directory.file("m.off", "OFF\n3 1 0\n0 0 1.178\n0.1 0 1.178\n0 nan 1.178\n3 0 1 2\n").string();
  EXPECT_EQ(error_of(ErrorKind::input, [&] { place(request, *scene.truth.surface); }),
            request.cloud_file + ": mesh.vertices_m[2]: not finite");
}

}  // namespace
}  // namespace aqbench
