#include "metrics/neighbours/spatial_tree.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "core/random.h"
#include "tests/core/on_threads.h"

namespace aqbench {
namespace {

std::vector<Vec3> random_square(std::size_t count) {
  std::vector<Vec3> points;
  for (std::size_t i = 0; i < count; ++i) {
    const auto [u, v] = uniform01_pair({13, RandomStream::surface_position}, i);
    points.emplace_back(u, v, 1);
  }
  return points;
}

// Collects the runs below a node in order, checking that nodes come before their children.
void collect_runs(const SpatialTree& tree, std::uint32_t node, std::vector<std::uint32_t>& runs) {
  for (const std::uint32_t child : tree.nodes[node]) {
    if (child == SpatialTree::kNone) continue;
    if ((child & SpatialTree::kRun) != 0) {
      runs.push_back(child & ~SpatialTree::kRun);
    } else {
      ASSERT_GT(child, node);
      ASSERT_LT(child, tree.nodes.size());
      collect_runs(tree, child, runs);
    }
  }
}

void expect_sound(const SpatialTree& tree, std::size_t points, std::size_t longest) {
  ASSERT_EQ(tree.order.size(), points);
  ASSERT_EQ(tree.first.front(), 0U);
  ASSERT_EQ(tree.first.back(), points);
  for (std::size_t r = 0; r + 1 < tree.first.size(); ++r) {
    ASSERT_GT(tree.first[r + 1], tree.first[r]);
    ASSERT_LE(tree.first[r + 1] - tree.first[r], longest);
  }
  std::vector<std::uint32_t> order = tree.order;
  std::ranges::sort(order);
  ASSERT_EQ(std::ranges::adjacent_find(order), order.end());
  std::vector<std::uint32_t> runs;
  collect_runs(tree, 0, runs);
  ASSERT_EQ(runs.size(), tree.first.size() - 1);
  for (std::uint32_t r = 0; r < runs.size(); ++r) ASSERT_EQ(runs[r], r);
}

TEST(SpatialTree, HoldsEveryMeasurablePointOnce) {
  std::vector<Vec3> points = random_square(10000);
  points[17].x() = std::numeric_limits<double>::quiet_NaN();
  points.emplace_back(1e9, 0, 0);
  points.insert(points.end(), 100, Vec3(0, 0, 1));
  const SpatialTree tree = make_spatial_tree(points, 8);
  expect_sound(tree, points.size() - 1, 8);
  EXPECT_EQ(std::ranges::find(tree.order, 17U), tree.order.end());
}

// Large trees are made by several threads.
TEST(SpatialTree, IsTheSameForAnyThreadCount) {
  std::vector<Vec3> points = random_square(400000);
  points.insert(points.end(), 1000, points[5]);
  const auto made = on_threads<1, 2, 5>([&] { return make_spatial_tree(points, 8); });
  expect_sound(made[0], points.size(), 8);
  for (const SpatialTree& tree : made) {
    EXPECT_TRUE(tree.order == made[0].order);
    EXPECT_TRUE(tree.first == made[0].first);
    EXPECT_TRUE(tree.nodes == made[0].nodes);
  }
}

TEST(SpatialTree, OfPointsInOnePlaceIsBalanced) {
  const SpatialTree tree = make_spatial_tree(std::vector<Vec3>(100000, Vec3(1, 2, 3)), 16);
  expect_sound(tree, 100000, 16);
  EXPECT_LT(tree.nodes.size(), 2000U);
}

// The header says that five sixths of the longest are usual.
TEST(SpatialTree, FillsItsRuns) {
  for (const std::size_t longest : {8U, 16U}) {
    const SpatialTree tree = make_spatial_tree(random_square(100000), longest);
    EXPECT_GT(100000, (tree.first.size() - 1) * longest * 0.8);
  }
}

TEST(SpatialTree, OfNothingIsEmpty) {
  const SpatialTree tree = make_spatial_tree({}, 8);
  EXPECT_TRUE(tree.order.empty());
  EXPECT_TRUE(tree.nodes.empty());
  EXPECT_EQ(tree.first, std::vector<std::uint32_t>{0});
}

double mean_diagonal_of_runs(const std::vector<Vec3>& points) {
  const SpatialTree tree = make_spatial_tree(points, 8);
  double sum = 0;
  for (std::size_t r = 0; r + 1 < tree.first.size(); ++r) {
    Vec3 low = points[tree.order[tree.first[r]]], high = low;
    for (std::size_t i = tree.first[r]; i < tree.first[r + 1]; ++i) {
      low = low.cwiseMin(points[tree.order[i]]);
      high = high.cwiseMax(points[tree.order[i]]);
    }
    sum += std::min((high - low).norm(), 1.0);
  }
  return sum / static_cast<double>(tree.first.size() - 1);
}

// A square that holds eight of 100000 points on the unit square has a diagonal of 0.0126.
TEST(SpatialTree, IsAsFineWithAnOutlierAsWithout) {
  std::vector<Vec3> points = random_square(100000);
  const double without = mean_diagonal_of_runs(points);
  EXPECT_LT(without, 0.0126);
  points.emplace_back(1e9, 1e9, -1e9);
  EXPECT_LT(mean_diagonal_of_runs(points), 1.1 * without);
}

TEST(SpatialTree, IsAsFineWhenSparseOutliersCoarsenEveryCell) {
  std::vector<Vec3> points = random_square(100000);
  const double without = mean_diagonal_of_runs(points);
  for (int i = 0; i < 1000; ++i) points.push_back(1000 * points[static_cast<std::size_t>(i)]);
  EXPECT_LT(mean_diagonal_of_runs(points), 1.5 * without + 1000.0 / 8 / 15000);  // outliers count as 1 each
}

}  // namespace
}  // namespace aqbench
