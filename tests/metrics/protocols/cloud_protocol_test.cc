// Protocols for clouds against plain loops over all pairs, written apart from the sources.
#include "metrics/protocols/cloud_protocol.h"

#include <gtest/gtest.h>

#include <Eigen/Geometry>

#include <algorithm>
#include <array>
#include <map>
#include <numbers>
#include <tuple>
#include <utility>

#include "core/error.h"
#include "core/random.h"
#include "metrics/protocols/cloud_protocols.h"
#include "metrics/protocols/voxels.h"
#include "tests/metrics/protocols/clouds.h"

namespace aqbench::test {
namespace {

double number(const ProtocolResult& result, const char* name, std::optional<double> threshold = {}) {
  const ProtocolValue* value = find_value(result, name, threshold);
  EXPECT_TRUE(value != nullptr && value->value) << name << (value != nullptr ? ": " + value->reason : "");
  return value != nullptr && value->value ? *value->value : -1;
}

// One cell map of ETH3D's grids: cell to (right, counted).
using Cells = std::map<std::array<long, 3>, std::array<double, 2>>;

void count_in_cells(std::array<Cells, 2>& grids, const Vec3& point, double size_m, bool counted, bool right) {
  for (int g = 0; g < 2; ++g) {
    std::array<long, 3> cell{};
    for (int axis = 0; axis < 3; ++axis)
      cell[static_cast<std::size_t>(axis)] = std::lround(std::floor(point[axis] / size_m + 0.5 * g));
    auto& [rights, all] = grids[static_cast<std::size_t>(g)][cell];
    all += counted ? 1 : 0;
    rights += counted && right ? 1 : 0;
  }
}

double mean_of_cells(const std::array<Cells, 2>& grids) {
  double sum = 0, count = 0;
  for (const Cells& cells : grids)
    for (const auto& [cell, shares] : cells)
      if (shares[1] > 0) sum += shares[0] / shares[1], ++count;
  return sum / count;
}

enum class Beam3 { right, wrong, unobserved };

// What the beams of all scans say of a point at one tolerance: every beam is looked at.
Beam3 beams_say(const Vec3& point, const std::vector<BeamScan>& scans, double tolerance_m) {
  Beam3 verdict = Beam3::unobserved;
  for (const BeamScan& scan : scans) {
    const Eigen::Matrix4d scanner_from_world = scan.world_from_scanner.inverse();
    const Vec3 seen =
        scanner_from_world.topLeftCorner<3, 3>() * point + scanner_from_world.topRightCorner<3, 1>();
    const double radius = 0.001125 + seen.norm() * std::tan(0.011 * std::numbers::pi / 180);
    for (const Vec3& hit : scan.points_m) {
      const Vec3 direction = hit / hit.norm();
      const double along = direction.dot(seen);
      if (along < 0 || (seen - along * direction).norm() > radius) continue;
      if ((hit - seen).norm() <= tolerance_m) return Beam3::right;
      if (along < hit.norm()) verdict = Beam3::wrong;
    }
  }
  return verdict;
}

TEST(CloudProtocol, Eth3dIsWhatEveryBeamAndEveryCellSay) {
  const std::vector<Vec3> truth_m = wavy_points(3000, 0.4, 0, 1), cloud_m = wavy_points(1500, 0.5, 0.006, 2);
  const std::vector<Vec3> left(truth_m.begin(), truth_m.begin() + 1600),
      right(truth_m.begin() + 1400, truth_m.end());
  CloudTruth truth;
  truth.scans = {scan_from({-0.3, 0.2, 1.1}, 0.4, left), scan_from({0.5, -0.1, -0.9}, 2.9, right)};
  CloudKnobs knobs = knobs_at(find_cloud_protocol("eth3d"), std::array{0.002, 0.005, 0.01});
  knobs.single_precision = false;
  const ProtocolResult result = score_by_protocol(knobs, {cloud_m, {}, {}}, truth);
  for (const double tolerance_m : knobs.thresholds_m) {
    std::array<Cells, 2> accuracy, completeness;
    std::size_t unobserved = 0, wrong = 0;
    for (const Vec3& point : cloud_m) {
      const Beam3 verdict = beams_say(point, truth.scans, tolerance_m);
      unobserved += verdict == Beam3::unobserved ? 1U : 0U;
      wrong += verdict == Beam3::wrong ? 1U : 0U;
      count_in_cells(accuracy, point, 0.01, verdict != Beam3::unobserved, verdict == Beam3::right);
    }
    for (const std::vector<Vec3>* part : {&left, &right})
      for (const Vec3& point : *part)
        count_in_cells(completeness, point, 0.01, true, nearest_m(point, cloud_m) <= tolerance_m);
    ASSERT_GT(unobserved, 50U);                       // all three verdicts are there
    ASSERT_GT(wrong, tolerance_m < 0.01 ? 10U : 0U);  // the noise is 6 mm
    const double p = mean_of_cells(accuracy), r = mean_of_cells(completeness);
    EXPECT_NEAR(number(result, "precision", tolerance_m), p, 1e-12);
    EXPECT_NEAR(number(result, "recall", tolerance_m), r, 1e-12);
    EXPECT_NEAR(number(result, "f_score", tolerance_m), 2 * p * r / (p + r), 1e-12);
  }
}

TEST(CloudProtocol, Eth3dIn32BitsIsNearThatIn64) {
  const std::vector<Vec3> truth_m = wavy_points(3000, 0.4, 0, 3), cloud_m = wavy_points(3000, 0.4, 0.004, 4);
  CloudTruth truth;
  truth.scans = {scan_from({0.1, 0, 1.5}, 1, truth_m)};
  CloudKnobs knobs = knobs_at(find_cloud_protocol("eth3d"), std::array{0.005});
  const double narrow = number(score_by_protocol(knobs, {cloud_m, {}, {}}, truth), "f_score", 0.005);
  knobs.single_precision = false;
  EXPECT_NEAR(number(score_by_protocol(knobs, {cloud_m, {}, {}}, truth), "f_score", 0.005), narrow, 1e-3);
}

// x = 0.6 * 1.537 + (-0.8 * 1.049 + 0.127) is 0.20999998 in 32 bits, and 0.21, in the next voxel, if 0.127 is
// added last. The values are from numpy; PCL adds it first.
TEST(CloudProtocol, Eth3dMovesScansIn32BitsAsPclDoes) {
  BeamScan scan;
  scan.world_from_scanner.topLeftCorner<2, 2>() << 0.6, -0.8, 0.8, 0.6;
  scan.world_from_scanner(0, 3) = 0.127;
  const Eigen::Matrix3d turn = scan.world_from_scanner.topLeftCorner<3, 3>();
  const Vec3 place = scan.world_from_scanner.topRightCorner<3, 1>(), met(0.21, 1.859, 0.003);
  scan.points_m = {{1.537, 1.049, 0.003}};
  for (const double z : {0.003, 0.0031})
    scan.points_m.push_back(turn.transpose() * (Vec3(0.2125, 1.859, z) - place));
  CloudTruth truth;
  truth.scans = {scan};
  const CloudKnobs knobs = knobs_at(find_cloud_protocol("eth3d"), std::array{0.001});
  const ProtocolResult result = score_by_protocol(knobs, {{met}, {}, {}}, truth);
  // Alone in its voxel, and with the two others in the shifted one.
  EXPECT_NEAR(number(result, "recall", 0.001), (1.0 + 0.0 + 1.0 / 3) / 3, 1e-12);
}

TEST(CloudProtocol, UnobservedPointsAreDropped) {
  CloudTruth truth;
  truth.scans = {BeamScan{{{0, 0, 1}, {0.1, 0, 1}}, Eigen::Matrix4d::Identity()}};
  // On the first beam before, at and behind its point, and beside all beams.
  const std::vector<Vec3> cloud_m = {{0, 0, 0.5}, {0, 0, 1.0005}, {0, 0, 1.5}, {0, 0.5, 1}};
  CloudKnobs knobs = knobs_at(find_cloud_protocol("eth3d"), std::array{0.001});
  const CloudDistances distances = measure_distances(knobs, {cloud_m, {}, {}}, truth);
  EXPECT_EQ(distances.seen_through, (std::vector<bool>{true, false, false, false}));
  knobs.averaging = Averaging::points;
  EXPECT_EQ(number(summarize_distances(knobs, distances), "precision", 0.001), 0.5);
}

TEST(CloudProtocol, TanksAndTemplesIsWhatVoxelsAndPairsSay) {
  const double tau_m = 0.02;
  const std::vector<Vec3> truth_m = wavy_points(4000, 1, 0, 5), cloud_m = wavy_points(3000, 1, 0.015, 6);
  CloudTruth truth;
  truth.cloud.points_m = truth_m;
  truth.crop = [](const Vec3& point) { return point.x() < 0.3; };
  const auto means = [&](const std::vector<Vec3>& points) {
    Vec3 low = Vec3::Constant(1e9);
    for (const Vec3& point : points)
      if (point.x() < 0.3) low = low.cwiseMin(point);
    std::map<std::array<long, 3>, std::pair<Vec3, double>> cells;
    for (const Vec3& point : points) {
      if (!(point.x() < 0.3)) continue;
      std::array<long, 3> cell{};
      for (int axis = 0; axis < 3; ++axis)
        cell[static_cast<std::size_t>(axis)] =
            std::lround(std::floor((point[axis] - low[axis] + tau_m / 4) / (tau_m / 2)));
      auto& [sum, count] = cells.try_emplace(cell, Vec3::Zero(), 0.0).first->second;
      sum += point;
      ++count;
    }
    std::vector<Vec3> result;
    for (const auto& [cell, sum] : cells) result.push_back(sum.first / sum.second);
    return result;
  };
  const auto share = [&](const std::vector<Vec3>& from, const std::vector<Vec3>& to) {
    const auto near = std::ranges::count_if(from, [&](const Vec3& p) { return nearest_m(p, to) < tau_m; });
    return static_cast<double>(near) / static_cast<double>(from.size());
  };
  const std::vector<Vec3> ours = means(cloud_m), theirs = means(truth_m);
  const ProtocolResult result = score_by_protocol(
      knobs_at(find_cloud_protocol("tanks-and-temples"), std::array{tau_m}), {cloud_m, {}, {}}, truth);
  const double p = share(ours, theirs), r = share(theirs, ours);
  EXPECT_LT(p, 0.99);
  EXPECT_NEAR(number(result, "precision", tau_m), p, 1e-12);
  EXPECT_NEAR(number(result, "recall", tau_m), r, 1e-12);
  EXPECT_NEAR(number(result, "f_score", tau_m), 2 * p * r / (p + r), 1e-12);
}

TEST(CloudProtocol, DtuDropsWhatIsFarUnobservedOrBelowThePlane) {
  CloudTruth truth;
  for (int i = 0; i < 10; ++i) truth.cloud.points_m.emplace_back(0.01 * i, 0, 0);
  truth.cloud.points_m.emplace_back(0.05, 0, -0.5);  // below the plane
  truth.plane = Eigen::Vector4d(0, 0, 1, 0.1);
  auto observed = std::make_shared<std::vector<std::uint8_t>>(11 * 11 * 11, std::uint8_t{1});
  for (std::size_t yz = 0; yz < 11 * 11; ++yz) (*observed)[9 * 11 * 11 + yz] = 0;  // at x = 0.09
  truth.mask =
      ObservationMask{{"", Vec3(0, -0.05, -0.05), 0.01, {11, 11, 11}, observed}, Vec3(0.1, 0.05, 0.05)};
  const std::vector<Vec3> cloud_m = {
      {0.01, 0, 0.001}, {0.01, 0.00015, 0.001},  // one of the two is thinned away
      {0.03, 0, 0.003}, {0.05, 0, 0.021},        // dropped: 21 mm
      {0.09, 0, 0.001},                          // not observed
      {0.05, 0.5, 0}};                           // outside of the box
  const ProtocolResult result = score_by_protocol(find_cloud_protocol("dtu").knobs, {cloud_m, {}, {}}, truth);
  EXPECT_NEAR(number(result, "accuracy_mean"), 0.002, 1e-5);
  EXPECT_NEAR(number(result, "accuracy_median"), 0.002, 1e-5);
  const CloudDistances distances =
      measure_distances(find_cloud_protocol("dtu").knobs, {cloud_m, {}, {}}, truth);
  EXPECT_EQ(distances.counts.outside_mask, 2U);
  EXPECT_EQ(distances.counts.truth_below_plane, 1U);
  // Truth at 0.00 to 0.09 has 10, 1, 10, 3, 10, 20, 10, 20, 10, 1 mm to the cloud, nearly.
  EXPECT_EQ(distances.truth_m.size(), 10U);
  EXPECT_NEAR(number(result, "completeness_median"), 0.0104, 1e-3);
}

TEST(CloudProtocol, ResultDoesNotDependOnTheOrderOfPoints) {
  std::vector<Vec3> cloud_m = wavy_points(2000, 0.3, 0.003, 7);
  CloudTruth truth;
  truth.cloud.points_m = wavy_points(2000, 0.3, 0, 8);
  for (const char* name : {"tanks-and-temples", "dtu", "scannet-mesh"}) {
    const CloudKnobs knobs = find_cloud_protocol(name).knobs;
    const ProtocolResult before = score_by_protocol(knobs, {cloud_m, {}, {}}, truth);
    std::ranges::reverse(cloud_m);
    const ProtocolResult after = score_by_protocol(knobs, {cloud_m, {}, {}}, truth);
    for (std::size_t i = 0; i < before.size(); ++i) EXPECT_EQ(before[i].value, after[i].value) << name;
  }
}

TEST(CloudProtocol, WhatCannotBeSaidHasAReason) {
  CloudTruth truth;
  truth.cloud.points_m = {{0, 0, 0}};
  const ProtocolResult eth3d =
      score_by_protocol(find_cloud_protocol("eth3d").knobs, {{{0, 0, 0}}, {}, {}}, truth);
  EXPECT_EQ(find_value(eth3d, "precision", 0.02)->reason, "needs scans with the positions of their scanners");
  EXPECT_EQ(find_value(eth3d, "recall", 0.02)->value, 1.0);
  const ProtocolResult empty = score_by_protocol(find_cloud_protocol("dtu").knobs, {}, truth);
  EXPECT_EQ(find_value(empty, "accuracy_mean")->reason, "no point of the cloud is left");
  EXPECT_FALSE(find_value(empty, "overall")->value);
  CloudKnobs knobs;
  EXPECT_THROW(set_cloud_knob(knobs, "voxel", "1"), Error);
  EXPECT_THROW(set_cloud_knob(knobs, "voxel_m", "-1"), Error);
  EXPECT_THROW(set_cloud_knob(knobs, "accuracy", "laser"), Error);
  knobs.thresholds_m = {};
  EXPECT_THROW(check(knobs), Error);
}

TEST(CloudProtocol, CurveCountsDistancesBelowEachLimit) {
  const std::vector<double> curve = share_curve({0.0, 0.5, 1.005, 4.995, 7.0}, 1.0);
  ASSERT_EQ(curve.size(), 500U);
  EXPECT_EQ(curve[0], 0.0);
  EXPECT_EQ(curve[1], 0.2);
  EXPECT_EQ(curve[51], 0.4);
  EXPECT_EQ(curve[101], 0.6);
  EXPECT_EQ(curve[499], 0.6);
}

TEST(Thinning, KeptPointsAreApartAndWhatWentIsNearOne) {
  const std::vector<Vec3> all_m = wavy_points(3000, 0.2, 0.001, 1);
  const double radius_m = 0.004;
  const std::vector<Vec3> kept_m = thin_points(all_m, radius_m, 1);
  ASSERT_GT(kept_m.size(), 100U);
  ASSERT_LT(kept_m.size(), 2500U);
  for (std::size_t i = 0; i < kept_m.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) ASSERT_GT((kept_m[i] - kept_m[j]).norm(), radius_m);
  for (const Vec3& point : all_m) ASSERT_LE(nearest_m(point, kept_m), radius_m);
}

TEST(Thinning, OrderGivenDoesNotMatterAndTheSeedDoes) {
  std::vector<Vec3> all_m = wavy_points(2000, 0.2, 0.001, 2);
  const std::vector<Vec3> kept_m = thin_points(all_m, 0.005, 1);
  std::ranges::reverse(all_m);
  EXPECT_EQ(thin_points(all_m, 0.005, 1), kept_m);
  EXPECT_NE(thin_points(all_m, 0.005, 2), kept_m);
}

// Points looked at one by one in the order that docs/protocols.md states, against all that were kept.
TEST(Thinning, AgreesWithLookingAtPointsInTheirOrder) {
  std::vector<Vec3> all_m = wavy_points(4000, 0.2, 0.001, 3);
  for (std::size_t i = 0; i < 500; ++i) all_m.push_back(all_m[i % 7]);  // many at one place
  const double radius_m = 0.006;
  std::ranges::sort(all_m, [](const Vec3& a, const Vec3& b) {
    return std::tuple(a.x(), a.y(), a.z()) < std::tuple(b.x(), b.y(), b.z());
  });
  std::vector<std::pair<double, std::size_t>> turns;
  for (std::size_t i = 0; i < all_m.size(); ++i)
    turns.emplace_back(uniform01({9, static_cast<RandomStream>(31)}, i), i);
  std::ranges::sort(turns);
  std::vector<std::size_t> kept;
  for (const auto& [number, i] : turns)
    if (std::ranges::none_of(kept,
                             [&, i = i](std::size_t k) { return (all_m[i] - all_m[k]).norm() <= radius_m; }))
      kept.push_back(i);
  std::ranges::sort(kept);
  std::vector<Vec3> expected_m;
  for (const std::size_t i : kept) expected_m.push_back(all_m[i]);
  EXPECT_EQ(thin_points(all_m, radius_m, 9), expected_m);
}

TEST(Thinning, TwinsBecomeOne) { EXPECT_EQ(thin_points({{1, 1, 1}, {1, 1, 1}}, 1e-9, 1).size(), 1U); }

}  // namespace
}  // namespace aqbench::test
