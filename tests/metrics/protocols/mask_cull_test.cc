// Culling by masks: shapes against every pair of pixels, the rule of all views by hand, parts of meshes.

#include "metrics/protocols/mask_cull.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>

#include "core/error.h"
#include "metrics/protocols/cloud_protocol.h"
#include "metrics/protocols/cloud_protocols.h"
#include "tests/core/error_matcher.h"

namespace aqbench::test {
namespace {

using ::testing::HasSubstr;

PixelMask speckled() {
  PixelMask mask{31, 23, {}};
  for (int i = 0; i < 31 * 23; ++i) mask.counts.push_back(i * 7919 % 101 < 4 || i / 31 > 19);
  return mask;
}

// OpenCV's ellipse of 2 r + 1 pixels: in the row dy, columns up to round(sqrt(r^2 - dy^2)).
bool covers(const MaskReach& reach, int dx, int dy) {
  const int r = std::abs(reach.px);
  if (reach.shape == MaskReach::Shape::square) return std::abs(dx) <= r && std::abs(dy) <= r;
  if (reach.shape == MaskReach::Shape::disk) return dx * dx + dy * dy <= r * r;
  return std::abs(dy) <= r && std::abs(dx) <= std::lround(std::sqrt(r * r - dy * dy));
}

TEST(MaskReach, MasksGrowAndShrinkByEachShape) {
  const PixelMask mask = speckled();
  for (const char* const text : {"square:2", "disk:3", "ellipse:3", "square:-1", "disk:-2", "ellipse:-2"}) {
    const MaskReach reach = reach_of_knob("k", text);
    EXPECT_EQ(to_text(reach), text);
    const PixelMask changed = reached(mask, reach);
    for (int y = 0; y < 23; ++y)
      for (int x = 0; x < 31; ++x) {
        bool any = false;
        for (int v = 0; v < 23; ++v)
          for (int u = 0; u < 31; ++u)
            any = any || (covers(reach, u - x, v - y) && mask.counts[v * 31 + u] == (reach.px > 0));
        ASSERT_EQ(changed.counts[y * 31 + x], any == (reach.px > 0)) << text << ' ' << x << ' ' << y;
      }
  }
  EXPECT_EQ(reached(mask, {}).counts, mask.counts);
}

// A camera at the origin that looks along z, 21 x 21 pixels, of which the middle column counts.
Rig one_camera() {
  Camera camera;
  camera.name = "a";
  camera.intrinsics.K << 10, 0, 10, 0, 10, 10, 0, 0, 1;
  camera.intrinsics.width_px = camera.intrinsics.height_px = 21;
  PixelMask mask{21, 21, std::vector<bool>(441, false)};
  for (int y = 0; y < 21; ++y) mask.counts[21 * y + 10] = true;
  camera.mask = std::make_shared<const PixelMask>(mask);
  return {{camera}};
}

TEST(MaskCull, AllViewsMustHaveItInTheirMasksWhereTheyShowIt) {
  Rig rig = one_camera();
  // In the mask; 2 pixels beside it; out of the image; behind the camera, in the mask of its mirror image.
  const std::vector<Vec3> positions = {{0, 0.5, 1}, {0.2, 0, 1}, {2, 0, 1}, {0, 0, -1}};
  const auto stays = [&](const CullRules& rules) { return in_all_masks(positions, rig, rules); };
  CullRules rules{.in_all = true};
  EXPECT_EQ(stays(rules), (std::vector<bool>{true, false, true, true}));
  rules.outside_stays = false;
  EXPECT_EQ(stays(rules), (std::vector<bool>{true, false, false, true}));
  rules.masks = {MaskReach::Shape::disk, 2};
  EXPECT_EQ(stays(rules), (std::vector<bool>{true, true, false, true}));
  // Half a pixel beyond the last column.
  const std::vector<Vec3> at_border = {{1.03, 0, 1}};
  EXPECT_EQ(in_all_masks(at_border, rig, {.in_all = true}), std::vector<bool>{true});
  EXPECT_EQ(in_all_masks(at_border, rig, {.in_all = true, .to_border = true}), std::vector<bool>{false});
  rig.cameras.push_back(rig.cameras[0]);
  rig.cameras[1].mask = std::make_shared<const PixelMask>(PixelMask{21, 21, std::vector<bool>(441, false)});
  EXPECT_EQ(stays({.in_all = true}), (std::vector<bool>{false, false, true, false}));
  rig.cameras[1].intrinsics.distortion[0] = 0.1;
  EXPECT_THAT(error_of(ErrorKind::usage, [&] { stays({.in_all = true}); }),
              HasSubstr("cull_rule: all needs"));
}

TEST(MaskCull, AMeshKeepsItsVerticesWithoutFacesAndItsLargestPart) {
  // Two triangles at an edge, one of them given by twins of the vertices, and one alone; two vertices have no
  // face, one is not finite.
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const TriangleMesh mesh{{{0, 0, 0},
                           {1, 0, 0},
                           {0, 1, 0},
                           {1, 0, 0},
                           {0, 1, 0},
                           {1, 1, 0},
                           {5, 0, 0},
                           {6, 0, 0},
                           {5, 1, 0},
                           {9, 9, 9},
                           {nan, 0, 0}},
                          {{0, 1, 2}, {5, 4, 3}, {6, 7, 8}, {0, 1, 10}}};
  const TriangleMesh merged = merged_vertices(mesh);
  EXPECT_EQ(merged.vertices_m.size(), 7U);
  EXPECT_EQ(merged.triangles.size(), 3U);
  const TriangleMesh largest = kept_part(merged, std::vector<bool>(7, true), true);
  EXPECT_EQ(largest.vertices_m, (std::vector<Vec3>{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}}));
  EXPECT_EQ(largest.triangles.size(), 2U);
  std::vector<bool> without_first(7, true);
  without_first[0] = false;
  const TriangleMesh part = kept_part(merged, without_first, false);
  EXPECT_EQ(part.vertices_m.size(), 6U);
  EXPECT_EQ(part.triangles.size(), 2U);
  EXPECT_TRUE(kept_part(merged, std::vector<bool>(7, false), true).vertices_m.empty());
  // A third face at the edge of two: it joins no face to another.
  const TriangleMesh three{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}, {0, 0, 1}, {2, 2, 0}},
                           {{0, 1, 2}, {1, 3, 2}, {1, 2, 4}, {1, 5, 3}}};
  EXPECT_EQ(kept_part(three, std::vector<bool>(6, true), true).triangles.size(), 2U);
}

TEST(MaskCull, AProtocolOfMeshesTakesThePointsOfWhatIsLeft) {
  const TriangleMesh mesh{{{0, 0, 1}, {0, 0.3, 1}, {0, 0.3, 1.2}, {0.5, 0, 1}}, {{0, 1, 2}, {0, 1, 3}}};
  CloudTruth truth;
  truth.cloud.points_m = mesh.vertices_m;
  truth.hides = false;
  truth.seen = [](std::span<const Vec3> positions_m, const CullRules& rules) {
    return in_all_masks(positions_m, one_camera(), rules);
  };
  CloudKnobs knobs = find_cloud_protocol("tanks-and-temples-mesh").knobs;
  knobs.voxel_m = 0;
  knobs.cull = Cull::cloud;
  const PointCloud vertices{mesh.vertices_m, {}, {}};
  EXPECT_FALSE(measure_distances(knobs, vertices, truth, &mesh).accuracy_reason.empty());  // no rays
  knobs.cull_in_all = true;
  const CloudDistances distances = measure_distances(knobs, vertices, truth, &mesh);
  EXPECT_EQ(distances.counts.unseen, 1U);
  EXPECT_EQ(distances.counts.points, 4U);  // three vertices and a centre
}

}  // namespace
}  // namespace aqbench::test
