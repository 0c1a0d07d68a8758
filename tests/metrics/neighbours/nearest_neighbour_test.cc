#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "core/error.h"
#include "core/random.h"
#include "metrics/neighbours/nearest_neighbour.h"
#include "tests/core/on_threads.h"

namespace aqbench {
namespace {

// The oracle: a scan over all points.
std::vector<double> scan(const std::vector<Vec3>& queries, const std::vector<Vec3>& points) {
  std::vector<double> distances;
  for (const Vec3& query : queries) {
    double best = std::numeric_limits<double>::infinity();
    for (const Vec3& point : points) {
      const Vec3 d = point - query;
      best = std::min(best, d.x() * d.x() + d.y() * d.y() + d.z() * d.z());
    }
    distances.push_back(std::sqrt(best));
  }
  return distances;
}

std::vector<double> indexed(const std::vector<Vec3>& queries, const std::vector<Vec3>& points) {
  std::vector<double> distances(queries.size());
  NearestNeighbourIndex(points).distances(queries, distances);
  return distances;
}

Vec3 random_point(std::uint64_t seed, std::uint64_t index, const Vec3& low, const Vec3& high) {
  const RandomKey key{seed, RandomStream::surface_position};
  const auto [u, v] = uniform01_pair(key, index);
  return low + Vec3(u, v, uniform01(key, index, 1)).cwiseProduct(high - low);
}

std::vector<Vec3> random_points(std::uint64_t seed, std::size_t count, const Vec3& low, const Vec3& high) {
  std::vector<Vec3> points;
  for (std::size_t i = 0; i < count; ++i) points.push_back(random_point(seed, i, low, high));
  return points;
}

// As most files hold them: these lie in smaller blocks.
std::vector<Vec3> as_floats(std::vector<Vec3> points) {
  for (Vec3& point : points) point = point.cast<float>().cast<double>();
  return points;
}

const Vec3 kLow(-0.25, -0.15, 1.17), kHigh(0.25, 0.15, 1.19);

TEST(NearestNeighbour, EqualsAScanBitForBitAtEverySize) {
  const std::vector<Vec3> queries =
      random_points(1, 60, kLow - Vec3::Constant(0.1), kHigh + Vec3::Constant(0.1));
  for (const std::size_t size : {1, 2, 15, 16, 17, 255, 256, 257, 511, 4097, 20000}) {
    const std::vector<Vec3> points = random_points(2, size, kLow, kHigh);
    EXPECT_EQ(indexed(queries, points), scan(queries, points)) << size << " points";
    EXPECT_EQ(indexed(queries, as_floats(points)), scan(queries, as_floats(points))) << size << " floats";
  }
}

// Queries in rows are searched in groups where the cloud is sparse beside them, one by one elsewhere.
TEST(NearestNeighbour, EqualsAScanForRowsOfQueriesOfAnySpacing) {
  for (const std::size_t size : {1, 17, 300, 3000}) {
    const std::vector<Vec3> points = random_points(7, size, kLow, kHigh);
    std::vector<Vec3> queries(40, points.back());  // a group without extent, on a point
    for (const double spacing_m : {1e-300, 1e-6, 1e-3, 0.02, 1.0, 1e5, 1e95}) {
      for (int i = -50; i < 50; ++i) queries.emplace_back(i * spacing_m, 0.3 * i * spacing_m, 1.18);
    }
    queries.emplace_back(1e200, 0, 0);  // its square is infinite, and so is the box of its group
    for (int i = 0; i < 20; ++i) queries.push_back(points[i % points.size()] + Vec3(0, 0, 1e-9 * i));
    EXPECT_EQ(indexed(queries, points), scan(queries, points)) << size << " points";
    EXPECT_EQ(indexed(queries, as_floats(points)), scan(queries, as_floats(points))) << size << " floats";
  }
}

TEST(NearestNeighbour, FindsThePointsThemselves) {
  const std::vector<Vec3> points = random_points(3, 50000, kLow, kHigh);
  EXPECT_EQ(indexed(points, points), std::vector<double>(points.size(), 0.0));
}

TEST(NearestNeighbour, SurvivesDegenerateClouds) {
  const std::vector<Vec3> queries = random_points(4, 50, kLow, kHigh);
  const Vec3 place(0.1, -0.05, 1.178);
  std::vector<std::vector<Vec3>> clouds;
  clouds.emplace_back(30000, place);  // all in one place
  std::vector<Vec3> line, diagonal, grid, denormal;
  for (int i = 0; i < 20000; ++i) {
    line.emplace_back(-0.25 + 0.5 * i / 20000.0, 0.01, 1.178);
    diagonal.push_back(place + Vec3(1, 2, 3) * (i / 1e5));
    grid.emplace_back(0.003 * (i % 100), 0.003 * (i / 100 % 100), 1.178 + 0.0 * i);  // each place twice
    denormal.push_back(place * 0 + Vec3(1, 1, 1) * (i * 4.9e-324));
  }
  clouds.insert(clouds.end(), {line, diagonal, grid, denormal});
  for (const auto& points : clouds) EXPECT_EQ(indexed(queries, points), scan(queries, points));
}

TEST(NearestNeighbour, SurvivesOutliersAtAMillionKilometres) {
  std::vector<Vec3> points = random_points(5, 20000, kLow, kHigh);
  points.emplace_back(1e9, -1e9, 1e9);
  points.emplace_back(-1e9, 2e8, 3);
  points.emplace_back(1e99, 0, 0);
  std::vector<Vec3> queries = random_points(6, 100, kLow, kHigh);
  queries.emplace_back(1e9, -1e9, 1e9 + 1);
  EXPECT_EQ(indexed(queries, points), scan(queries, points));
}

// Points at ever smaller powers of two: each cell splits off one, the deepest tree there can be.
TEST(NearestNeighbour, SurvivesTheDeepestTree) {
  std::vector<Vec3> points;
  for (int i = -900; i < 300; ++i) {
    points.emplace_back(std::ldexp(1.0, i), 0, 0);
    points.emplace_back(0, std::ldexp(1.0, i), 0);
    points.emplace_back(0, 0, std::ldexp(1.0, i));
  }
  std::vector<Vec3> queries = {{0, 0, 0}, {1, 1, 1}, {1e-100, 0, 0}, {0, 0.75, 0}, {1e90, 0, 0}};
  EXPECT_EQ(indexed(queries, points), scan(queries, points));
}

TEST(NearestNeighbour, LeavesOutPointsThatAreNotFinite) {
  const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  const std::vector<Vec3> points = {{nan, 0, 0}, {0, inf, 0}, {1, 2, 3}, {0, 0, -inf}, {1e200, 0, 0}};
  const NearestNeighbourIndex index(points);
  EXPECT_EQ(index.size(), 1U);
  double distance = 0;
  index.distances(std::vector<Vec3>{{1, 2, 5}}, {&distance, 1});
  EXPECT_EQ(distance, 2.0);
}

TEST(NearestNeighbour, RefusesAnEmptyCloud) {
  double distance = 0;
  const NearestNeighbourIndex index(std::vector<Vec3>{});
  EXPECT_THROW(index.distances(std::vector<Vec3>{{0, 0, 0}}, {&distance, 1}), Error);
  EXPECT_THROW(index.distances({}, {&distance, 1}), Error);  // sizes differ
}

// Half a million points in one millimetre cube among others spread over half a metre: an index with cells of
// one size would scan them all for each query. The bound is 50 times what it takes here.
TEST(NearestNeighbour, StaysFastWhenPointsCrowdInOneVoxel) {
  std::vector<Vec3> points = random_points(7, 300000, Vec3(0, 0, 1.178), Vec3(0.001, 0.001, 1.179));
  const std::vector<Vec3> wide = random_points(8, 30000, kLow, kHigh);
  points.insert(points.end(), wide.begin(), wide.end());
  points.emplace_back(1e9, 1e9, 1e9);
  const std::vector<Vec3> near =
      random_points(9, 50000, Vec3(-1e-4, -1e-4, 1.1779), Vec3(0.0011, 0.0011, 1.1791));
  const NearestNeighbourIndex index(points);
  std::vector<double> distances(near.size());
  const auto start = std::chrono::steady_clock::now();
  index.distances(near, distances);
  EXPECT_LT(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(), 5.0);
  const std::vector<Vec3> few(near.begin(), near.begin() + 20);
  EXPECT_EQ(indexed(few, points), scan(few, points));
}

TEST(NearestNeighbour, GivesTheSameBitsForAnyThreadCountAndOrderOfPoints) {
  std::vector<Vec3> points = random_points(10, 30000, kLow, kHigh);
  const std::vector<Vec3> queries = random_points(11, 20000, kLow, kHigh);
  const auto [one, three] = on_threads<1, 3>([&] { return indexed(queries, points); });
  EXPECT_EQ(three, one);
  std::ranges::reverse(points);
  EXPECT_EQ(indexed(queries, points), one);
}

// A slot of the index stands for one point, and nearly all slots are taken.
void expect_a_slot_for_each(std::vector<Vec3> points) {
  points.push_back(points[7]);  // two at one place: the one of the smaller index is nearest
  points.emplace_back(std::numeric_limits<double>::quiet_NaN(), 0, 0);
  const NearestNeighbourIndex index(points, true);
  EXPECT_GT(static_cast<double>(index.size()), 0.8 * static_cast<double>(index.slots()));
  std::vector<int> held(points.size());
  for (std::uint32_t slot = 0; slot < index.slots(); ++slot) {
    if (!index.holds_point(slot)) continue;
    ASSERT_EQ(index.position_m(slot), points[index.index_at(slot)]);
    ++held[index.index_at(slot)];
  }
  EXPECT_EQ(std::ranges::count(held, 1), 50001);
  EXPECT_EQ(held.back(), 0);
  const std::vector<Vec3> queries = random_points(22, 200, kLow, kHigh);
  std::vector<std::uint32_t> slots(queries.size()), indices(queries.size());
  index.nearest_slots(queries, slots);
  index.nearest(queries, indices);
  std::vector<NearestNeighbourIndex::Neighbour> neighbours;
  for (std::size_t q = 0; q < queries.size(); ++q) {
    EXPECT_EQ(index.index_at(slots[q]), indices[q]);
    index.k_nearest(queries[q], 3, neighbours);
    EXPECT_EQ(neighbours[0].slot, slots[q]);
    for (const auto& neighbour : neighbours)
      EXPECT_EQ(index.position_m(neighbour.slot), points[neighbour.index]);
  }
  index.nearest_slots(std::vector<Vec3>{points[7]}, std::span(slots).first(1));
  EXPECT_EQ(index.index_at(slots[0]), 7U);
}

TEST(NearestNeighbour, KeepsEachPointInASlotOfItsOwn) {
  const std::vector<Vec3> points = random_points(21, 50000, kLow, kHigh);
  expect_a_slot_for_each(points);
  expect_a_slot_for_each(as_floats(points));
}

// Compares with all distances, put in order by the distance and then by the index.
void expect_neighbours_of_all(const std::vector<Vec3>& points, const std::vector<Vec3>& queries) {
  const NearestNeighbourIndex index(points, true);
  std::vector<NearestNeighbourIndex::Neighbour> neighbours;
  for (const Vec3& query : queries) {
    std::vector<std::pair<double, std::uint32_t>> all;
    for (std::uint32_t i = 0; i < points.size(); ++i) {
      const Vec3 d = points[i] - query;
      all.emplace_back(d.x() * d.x() + d.y() * d.y() + d.z() * d.z(), i);
    }
    std::ranges::sort(all);
    for (const std::size_t wanted : {1, 2, 25, 26, 300, 5000}) {
      index.k_nearest(query, wanted, neighbours);
      ASSERT_EQ(neighbours.size(), std::min(wanted, points.size()));
      for (std::size_t k = 0; k < neighbours.size(); ++k) {
        ASSERT_EQ(neighbours[k].squared_m2, all[k].first) << wanted << " " << k;
        ASSERT_EQ(neighbours[k].index, all[k].second) << wanted << " " << k;
        ASSERT_EQ(index.index_at(neighbours[k].slot), neighbours[k].index);
      }
    }
  }
}

TEST(NearestNeighbour, FindsTheSameNeighboursAsAScanOfAllDistances) {
  const std::vector<Vec3> points = random_points(23, 3000, kLow, kHigh);
  const std::vector<Vec3> queries = random_points(24, 50, kLow, kHigh);
  expect_neighbours_of_all(points, queries);
  expect_neighbours_of_all(as_floats(points), queries);
  expect_neighbours_of_all({points.begin(), points.begin() + 20}, queries);
}

TEST(NearestNeighbour, OfEquallyFarPointsTakesTheSmallestIndices) {
  std::vector<Vec3> points;
  for (int i = 0; i < 3000; ++i) points.emplace_back(i * 7 % 15, i * 11 % 14, i * 3 % 2);  // each place often
  const std::vector<Vec3> queries = {{3, 4, 0}, {3.5, 4.5, 0.5}, {0, 0, 0}, {-100, 50, 3}};
  expect_neighbours_of_all(points, queries);
  expect_neighbours_of_all(std::vector<Vec3>(2000, Vec3(1, 2, 3)), queries);
}

TEST(CloudToCloud, MeasuresFromOneToTheOther) {
  const std::vector<Vec3> a = {{0, 0, 0}, {1, 0, 0}};
  const std::vector<Vec3> b = {{0, 0, 3}, {1, 4, 0}, {0, 0, 10}};
  EXPECT_EQ(cloud_to_cloud_distances_m(a, b), (std::vector<double>{3, std::sqrt(10.0)}));
  EXPECT_EQ(cloud_to_cloud_distances_m(b, a), (std::vector<double>{3, 4, 10}));
  EXPECT_THROW(cloud_to_cloud_distances_m(a, {}), Error);
}

TEST(Places, KeepTheFirstPointOfEachInTheirOrder) {
  const std::vector<Vec3> points = {{2, 0, 0}, {1, 0, 0}, {2, 0, 0}, {1, 0, -0.0}, {1, 0, 1}, {1, 0, 0}};
  EXPECT_THAT(first_at_each_place(points), testing::ElementsAre(Vec3(2, 0, 0), Vec3(1, 0, 0), Vec3(1, 0, 1)));
  EXPECT_TRUE(first_at_each_place({}).empty());
}

}  // namespace

}  // namespace aqbench
