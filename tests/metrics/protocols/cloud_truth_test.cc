#include "metrics/protocols/cloud_truth.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <limits>
#include <numbers>
#include <string>

#include "core/random.h"
#include "tests/core/error_matcher.h"
#include "tests/temporary_directory.h"

namespace aqbench {
namespace {

using testing::HasSubstr;

std::string project(const std::string& attribute, const std::string& matrix) {
  return "<!DOCTYPE MeshLabDocument>\n<MeshLabProject><MeshGroup><MLMesh " + attribute +
         " label=\"a\"><MLMatrix44>" + matrix + "</MLMatrix44></MLMesh></MeshGroup></MeshLabProject>\n";
}

TEST(ScanProject, NamesInEitherQuotesWithEntities) {
  const TemporaryDirectory directory;
  directory.file("a&'b.xyz", "1 2 3\n");
  const std::string shift = "1 0 0 10\n0 1 0 20\n0 0 1 30\n0 0 0 1\n";
  for (const char* attribute : {"filename=\"a&amp;'b.xyz\"", "filename='a&amp;&apos;b.xyz'"}) {
    const auto scans = read_scan_project(directory.file("p.mlp", project(attribute, shift)), 0.001);
    ASSERT_EQ(scans.size(), 1U) << attribute;
    EXPECT_EQ(scans[0].points_m[0], Vec3(0.001, 0.002, 0.003));
    EXPECT_EQ(scans[0].world_from_scanner(2, 3), 0.03);
  }
}

TEST(ScanProject, WhatCannotBeReadIsNamed) {
  const TemporaryDirectory directory;
  const auto error = [&](const std::string& text) {
    const auto path = directory.file("p.mlp", text);
    return error_of(ErrorKind::input, [&] { read_scan_project(path); });
  };
  EXPECT_THAT(error(project("filename=\"&auml;.ply\"", "")), HasSubstr("'&auml;' is not one of XML's five"));
  EXPECT_THAT(error(project("name=\"a.ply\"", "")), HasSubstr("p.mlp: MLMesh: no filename"));
  EXPECT_THAT(error(project("filename=\"a.ply\"", "1 2")), HasSubstr("MLMatrix44: expected 16 numbers"));
  EXPECT_THAT(error(project("filename=\"a.ply\"", "2 0 0 0 0 2 0 0 0 0 2 0 0 0 0 1")),
              HasSubstr("MLMatrix44: not a rotation and a shift"));
  EXPECT_THAT(error("<MeshLabProject/>"), HasSubstr("p.mlp: no scan (MLMesh)"));
}

constexpr auto kStream = static_cast<RandomStream>(77);

double uniform(std::uint64_t index) { return uniform01({9, kStream}, index); }

// The rule of ETH3D over all pairs, in 32 bits or 64.
template <class T>
BeamFindings by_brute_force(const std::vector<Vec3>& points_m, const BeamScan& scan, const Beam& beam) {
  using V = Eigen::Matrix<T, 3, 1>;
  const T tangent = static_cast<T>(std::tan(static_cast<double>(static_cast<T>(beam.halfangle_deg)) *
                                            static_cast<double>(static_cast<T>(std::numbers::pi / 180))));
  BeamFindings found;
  for (const Vec3& place : points_m) {
    const V point = place.cast<T>();
    const T radius = static_cast<T>(beam.radius_m) + point.norm() * tangent;
    T squared = std::numeric_limits<T>::infinity();
    bool seen_through = false;
    for (const Vec3& scanned_m : scan.points_m) {
      const V scanned = scanned_m.cast<T>(), direction = scanned.normalized();
      const T along = direction.dot(point);
      if (along < 0 || (point - along * direction).squaredNorm() > radius * radius) continue;
      squared = std::min(squared, (scanned - point).squaredNorm());
      seen_through = seen_through || along < scanned.norm();
    }
    found.distance_m.push_back(std::sqrt(static_cast<double>(squared)));
    found.seen_through.push_back(seen_through);
  }
  return found;
}

// What a test puts before the scanner: each of these has points in few beams, or many beams with few points.
std::vector<Vec3> points_of(const std::string& shape, std::size_t count, std::uint64_t seed) {
  std::vector<Vec3> points_m;
  for (std::size_t i = 0; i < count; ++i) {
    const auto draw = [&](std::uint64_t k) { return uniform(seed * 1'000'000'007 + 8 * i + k) - 0.5; };
    const Vec3 box(draw(0), draw(1), draw(2));
    if (shape == "equal") points_m.emplace_back(0.3, 0.2, 1.1);
    if (shape == "clumps") points_m.push_back(Vec3(0.2 * static_cast<double>(i % 10), 0.1, 1.2) + 2e-3 * box);
    if (shape == "tight clump") points_m.push_back(Vec3(0.1, 0.1, 1.2) + 2e-6 * box);
    if (shape == "ray") points_m.push_back(Vec3(0.3, 0.2, 1.1) * (1.5 + box.x()));
    if (shape == "line") points_m.emplace_back(2 * box.x(), 0.1, 1.2);
    if (shape == "uniform") points_m.push_back(Vec3(0, 0, 1.5) + box);
    if (shape == "all around") points_m.push_back(2 * box);
  }
  return points_m;
}

constexpr const char* kShapes[] = {"equal", "clumps", "tight clump", "ray", "line", "uniform", "all around"};

TEST(Beams, FindWhatAllPairsGiveBitForBit) {
  for (const char* const shape : kShapes)
    for (const bool wide : {false, true}) {
      const Beam beam{wide ? 0.05 : 0.001125, wide ? 2.0 : 0.011};
      const BeamScan scan{points_of(shape, 700, 1)};
      std::vector<Vec3> points_m = points_of(shape, 400, 2);
      points_m.insert(points_m.end(), scan.points_m.begin(), scan.points_m.begin() + 100);
      points_m.emplace_back(0, 0, 0);
      for (const bool single : {false, true}) {
        const BeamFindings found = compare_with_beams(points_m, std::span(&scan, 1), beam, single);
        const BeamFindings expected = single ? by_brute_force<float>(points_m, scan, beam)
                                             : by_brute_force<double>(points_m, scan, beam);
        EXPECT_EQ(found.distance_m, expected.distance_m) << shape << wide << single;
        EXPECT_EQ(found.seen_through, expected.seen_through) << shape << wide << single;
      }
    }
}

// 100 000 equal or clumped points took 20 s when every point was held against every beam that it may lie in.
TEST(Beams, TimeDoesNotGrowWithThePointsOfOneBeam) {
  for (const char* const shape : kShapes) {
    const BeamScan scan{points_of(shape, 100'000, 1)};
    const std::vector<Vec3> points_m = points_of(shape, 100'000, 2);
    const auto begin = std::chrono::steady_clock::now();
    const BeamFindings found = compare_with_beams(points_m, std::span(&scan, 1), Beam{}, true);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    EXPECT_EQ(found.distance_m.size(), points_m.size());
    EXPECT_LT(took.count(), 10) << shape;
  }
}

}  // namespace
}  // namespace aqbench
