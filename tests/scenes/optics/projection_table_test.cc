#include "scenes/optics/projection_table.h"

#include <gtest/gtest.h>

#include <utility>

#include "tests/scenes/optics/optics_fixtures.h"

namespace aqbench {
namespace {

using namespace aqbench::optics_testing;

std::vector<RefractiveCamera> prepared(const Rig& rig) {
  std::vector<RefractiveCamera> out;
  for (const Camera& camera : rig.cameras) out.push_back(refractive_camera(camera));
  return out;
}

bool in_image(const RefractiveCamera& camera, const Vec2& pixel) {
  return pixel.x() >= -0.5 && pixel.x() <= camera.width_px - 0.5 && pixel.y() >= -0.5 &&
         pixel.y() <= camera.height_px - 0.5;
}

std::vector<float> depths_between(double low_m, double high_m) {
  std::vector<float> depths_m;
  for (int i = 0; i < 7; ++i) depths_m.push_back(static_cast<float>(low_m + (high_m - low_m) * i / 6));
  return depths_m;
}

// The value of one of the table's coordinates, as the header defines it, in pixels of a side of `size_px`.
double table_px(const ProjectionTable& table, const std::vector<float>& values, std::size_t depth,
                std::size_t row, std::size_t column, int size_px) {
  const auto nodes = static_cast<std::size_t>(table.nodes);
  double sum = 0;
  for (std::size_t j = 0; j < nodes; ++j)
    for (std::size_t i = 0; i < nodes; ++i)
      sum += static_cast<double>(table.row_weights[row * nodes + j]) *
             table.column_weights[column * nodes + i] * values[(depth * nodes + j) * nodes + i];
  return (sum + 1) / 2 * (size_px - 1);
}

// Worst distance to the exact projection over the whole reference image, where the source sees it.
struct Comparison {
  double worst_px = 0;
  std::size_t seen = 0;
};

Comparison compare(const RefractiveCamera& reference, const RefractiveCamera& source,
                   const std::vector<float>& depths_m, const ProjectionTable& table) {
  Comparison out;
  for (std::size_t d = 0; d < depths_m.size(); ++d)
    for (int row = 0; row < reference.height_px; row += 109)
      for (int column = 0; column < reference.width_px; column += 123) {
        const auto ray = cast_ray(reference, Vec2(column, row));
        const auto exact = project(source, point_on_ray(ray.value(), std::max(depths_m[d], 1e-9F)));
        if (!exact || !in_image(source, exact->pixel)) continue;
        ++out.seen;
        const Vec2 found(table_px(table, table.u, d, static_cast<std::size_t>(row),
                                  static_cast<std::size_t>(column), source.width_px),
                         table_px(table, table.v, d, static_cast<std::size_t>(row),
                                  static_cast<std::size_t>(column), source.height_px));
        const double error_px = (exact->pixel - found).norm();
        out.worst_px = error_px <= out.worst_px ? out.worst_px : error_px;  // a NaN sticks
      }
  return out;
}

TEST(ProjectionTable, StaysWithinItsToleranceOverTheWholeImage) {
  int tables = 0;
  const auto cameras = prepared(make_rig("ring12", {}, 0));
  for (const auto& [low_m, high_m] : {std::pair{0.05, 0.5}, std::pair{0.1, 0.3}, std::pair{0.0, 1.0}}) {
    for (const auto& [reference, source] :
         {std::pair{0, 1}, std::pair{0, 6}, std::pair{3, 12}, std::pair{12, 7}, std::pair{5, 9}}) {
      const RefractiveCamera &ref = cameras[static_cast<std::size_t>(reference)],
                             &src = cameras[static_cast<std::size_t>(source)];
      const std::vector<float> depths_m = depths_between(low_m, high_m);
      const ProjectionTable table = make_projection_table(ref, src, depths_m);
      if (table.nodes == 0) {  // too wide a range: the torch kernel then takes exact_positions()
        EXPECT_GT(table.error_px, kTableTolerance_px);
        continue;
      }
      ++tables;
      EXPECT_LE(table.error_px, kTableTolerance_px);
      const Comparison comparison = compare(ref, src, depths_m, table);
      // Single precision of the weights and values adds to the polynomials' own error.
      EXPECT_LT(comparison.worst_px, 3 * kTableTolerance_px)
          << reference << " -> " << source << ", " << low_m << " to " << high_m << " m";
      EXPECT_GT(comparison.seen, 100u);
    }
  }
  EXPECT_GE(tables, 5);
}

TEST(ProjectionTable, FollowsJitteredRigsOtherWatersAndNone) {
  for (const double n_water : {1.0, 1.333, 1.5}) {
    const Rig rig = make_rig("sparse4",
                             {{"sparse4", "n_water", std::to_string(n_water)},
                              {"sparse4", "jitter_position_m", "0.03"},
                              {"sparse4", "jitter_angle_deg", "3"}},
                             7);
    const auto cameras = prepared(rig);
    const std::vector<float> depths_m = depths_between(0.02, 0.6);
    const ProjectionTable table = make_projection_table(cameras[0], cameras[1], depths_m);
    ASSERT_GT(table.nodes, 0) << n_water;
    const Comparison comparison = compare(cameras[0], cameras[1], depths_m, table);
    EXPECT_LT(comparison.worst_px, 3 * kTableTolerance_px) << n_water;
    EXPECT_GT(comparison.seen, 100u);
  }
}

TEST(ProjectionTable, TakesMoreNodesForWiderViews) {
  auto cameras = prepared(make_rig("ring12", {}, 0));
  const std::vector<float> depths_m = depths_between(0.15, 0.25);
  const int narrow = make_projection_table(cameras[0], cameras[1], depths_m).nodes;
  cameras[0].fx_px = cameras[0].fy_px = 700;
  const int wide = make_projection_table(cameras[0], cameras[1], depths_m).nodes;
  ASSERT_GT(narrow, 0);
  EXPECT_TRUE(wide == 0 || wide >= narrow) << wide;
}

// Level: the upper half of the image looks above the horizon. No polynomial follows that, and there the exact
// positions are 2: outside every image.
TEST(ProjectionTable, PixelsWithoutARayHaveNoPosition) {
  Rig rig = make_rig("single_pair", {}, 0);
  CameraFromWorld& pose = rig.cameras[0].camera_from_world;
  pose.rotation << 1, 0, 0, 0, 0, 1, 0, -1, 0;
  pose.translation_m.setZero();
  const auto cameras = prepared(rig);
  EXPECT_EQ(make_projection_table(cameras[0], cameras[1], depths_between(0.05, 0.2)).nodes, 0);
  const auto width = static_cast<std::size_t>(cameras[0].width_px);
  std::vector<float> u(width * static_cast<std::size_t>(cameras[0].height_px)), v(u.size());
  exact_positions(cameras[0], cameras[1], 0.1F, u, v);
  for (std::size_t i = 0; i < 20; ++i) {
    EXPECT_EQ(u[100 * width + i], 2);
    EXPECT_EQ(v[100 * width + i], 2);
  }
}

TEST(ProjectionTable, ExactPositionsAreTheProjections) {
  const auto cameras = prepared(make_rig("ring12", {}, 0));
  const RefractiveCamera &ref = cameras[2], &src = cameras[5];
  const auto width = static_cast<std::size_t>(ref.width_px);
  std::vector<float> u(width * static_cast<std::size_t>(ref.height_px)), v(u.size());
  exact_positions(ref, src, 0.2F, u, v);
  std::size_t seen = 0;
  for (std::size_t row = 0; row < 1200; row += 131)
    for (std::size_t column = 0; column < 1600; column += 119) {
      const Vec2 pixel(static_cast<double>(column), static_cast<double>(row));
      const auto exact = project(src, point_on_ray(cast_ray(ref, pixel).value(), 0.2F));
      if (!exact || !in_image(src, exact->pixel)) continue;
      ++seen;
      const double found_u = (u[row * width + column] + 1.0) / 2 * (src.width_px - 1);
      const double found_v = (v[row * width + column] + 1.0) / 2 * (src.height_px - 1);
      EXPECT_LT((exact->pixel - Vec2(found_u, found_v)).norm(), 5e-4);
    }
  EXPECT_GT(seen, 50u);
}

}  // namespace
}  // namespace aqbench
