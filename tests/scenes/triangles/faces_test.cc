// Faces of more than three corners, against their areas by formula.
#include "scenes/triangles/faces.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "core/error.h"
#include "scenes/triangles/joined_faces.h"
#include "tests/core/error_matcher.h"

namespace aqbench {
namespace {

using Eigen::Vector3d;
using testing::ElementsAre;
using testing::HasSubstr;

using Corners = std::vector<Vector3d>;

std::vector<Triangle> cut(const Corners& corners) {
  std::vector<std::uint32_t> indices(corners.size());
  std::iota(indices.begin(), indices.end(), 0U);
  FaceList faces;
  faces.add(indices);
  return cut_faces(std::move(faces), corners, "f.obj");
}

std::string refusal_of_faces(const Corners& corners) {
  return error_of(ErrorKind::input, [&] { cut(corners); });
}

double area(const Corners& corners, const Triangle& t) {
  return 0.5 * (corners[t[1]] - corners[t[0]]).cross(corners[t[2]] - corners[t[0]]).norm();
}

double area(const Corners& corners) {
  double sum = 0;
  for (const Triangle& triangle : cut(corners)) sum += area(corners, triangle);
  return sum;
}

// Triangles as sets of places, whatever their order and winding.
std::vector<std::vector<std::array<double, 3>>> places(const Corners& corners) {
  std::vector<std::vector<std::array<double, 3>>> triangles;
  for (const Triangle& triangle : cut(corners)) {
    auto& three = triangles.emplace_back();
    for (const std::uint32_t i : triangle) three.push_back({corners[i].x(), corners[i].y(), corners[i].z()});
    std::ranges::sort(three);
  }
  std::ranges::sort(triangles);
  return triangles;
}

// Gives the same triangles from whichever corner it starts, in both windings.
void expect_same_from_every_corner(const Corners& corners, double expected_area) {
  const auto first = places(corners);
  for (std::size_t start = 0; start < corners.size(); ++start)
    for (const bool turned : {false, true}) {
      Corners other = corners;
      std::rotate(other.begin(), other.begin() + static_cast<std::ptrdiff_t>(start), other.end());
      if (turned) std::reverse(other.begin(), other.end());
      EXPECT_NEAR(area(other), expected_area, 1e-12 * expected_area) << start;
      EXPECT_EQ(places(other), first) << start;
    }
}

TEST(CutFaces, LeavesConvexFacesAFan) {
  const Corners square = {{0, 0, 5}, {1, 0, 5}, {1, 1, 5}, {0, 1, 5}};
  EXPECT_THAT(cut(square), ElementsAre(Triangle{0, 1, 2}, Triangle{0, 2, 3}));
  Corners regular;
  for (int i = 0; i < 7; ++i)
    regular.push_back({std::cos(2 * std::numbers::pi * i / 7), std::sin(2 * std::numbers::pi * i / 7), 0});
  EXPECT_THAT(cut(regular), ElementsAre(Triangle{0, 1, 2}, Triangle{0, 2, 3}, Triangle{0, 3, 4},
                                        Triangle{0, 4, 5}, Triangle{0, 5, 6}));
}

TEST(CutFaces, CoverAConcaveFaceFromWhicheverCornerItStarts) {
  // An arrow: 2 x 2 less the triangle to (1, 0.5).
  expect_same_from_every_corner({{0, 0, 0}, {1, 0.5, 0}, {2, 0, 0}, {1, 2, 0}}, 1.5);
  // An L of 3 x 3 less 2 x 2, a U of 3 x 2 less 1 x 1, and a comb in a tilted plane.
  expect_same_from_every_corner({{0, 0, 1}, {3, 0, 1}, {3, 1, 1}, {1, 1, 1}, {1, 3, 1}, {0, 3, 1}}, 5);
  const Corners flat = {{0, 0, 0}, {3, 0, 0}, {3, 2, 0}, {2, 2, 0},
                        {2, 1, 0}, {1, 1, 0}, {1, 2, 0}, {0, 2, 0}};
  Corners tilted;
  for (const Vector3d& corner : flat)
    tilted.push_back(Vector3d(1, 2, 3) + corner.x() * Vector3d(0, 0.6, 0.8) + corner.y() * Vector3d(1, 0, 0));
  expect_same_from_every_corner(tilted, 5);
  Corners star;
  for (int i = 0; i < 10; ++i) {
    const double angle = std::numbers::pi * i / 5, radius = i % 2 == 0 ? 1 : 0.4;
    star.push_back({radius * std::cos(angle), 0, radius * std::sin(angle)});
  }
  expect_same_from_every_corner(star, 10 * 0.5 * 0.4 * std::sin(std::numbers::pi / 5));
}

// A saddle has no plane: of its two cuts one is taken, the same from every corner.
TEST(CutFaces, TakeOneDiagonalOfASkewFace) {
  const Corners saddle = {{0, 0, 0.2}, {1, 0, 0}, {1, 1, 0.3}, {0, 1, 0}};
  const double along = std::sqrt(2 + 0.01);  // from 0 to 2; the other diagonal is shorter
  ASSERT_GT(along, std::sqrt(2.0));
  const Corners half = {saddle[0], saddle[1], saddle[3]}, other = {saddle[1], saddle[2], saddle[3]};
  expect_same_from_every_corner(saddle, area(half, {0, 1, 2}) + area(other, {0, 1, 2}));
}

TEST(CutFaces, LeaveCornersOnAStraightSideTheirTriangles) {
  // No triangle of three corners on a line, so that a neighbour's edge finds its like.
  const Corners face = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {2, 1, 0}, {0, 1, 0}};
  EXPECT_EQ(cut(face).size(), 3U);
  expect_same_from_every_corner(face, 2);
}

TEST(CutFaces, AllowAHoleWithABridge) {
  // 4 x 4 less 2 x 2, joined by a bridge that is walked twice.
  const Corners frame = {{0, 0, 0}, {4, 0, 0}, {4, 4, 0}, {0, 4, 0}, {0, 0, 0},
                         {1, 1, 0}, {1, 3, 0}, {3, 3, 0}, {3, 1, 0}, {1, 1, 0}};
  EXPECT_NEAR(area(frame), 12, 1e-12);
  for (const Triangle& triangle : cut(frame)) {
    const Vector3d middle = (frame[triangle[0]] + frame[triangle[1]] + frame[triangle[2]]) / 3;
    EXPECT_FALSE(middle.x() > 1 && middle.x() < 3 && middle.y() > 1 && middle.y() < 3);
  }
}

TEST(CutFaces, PassOverCornersThatAreThereTwiceInTurn) {
  EXPECT_NEAR(area({{0, 0, 0}, {1, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 0, 0}}), 1, 1e-15);
}

TEST(CutFaces, LeaveOneTriangleWithoutAreaOfALine) {
  const Corners line = {{0, 0, 0}, {1, 1, 1}, {3, 3, 3}, {2, 2, 2}};
  EXPECT_EQ(cut(line).size(), 1U);
  EXPECT_EQ(area(line), 0);
}

TEST(CutFaces, RefuseAFaceThatCrossesItself) {
  const char* const expected = "f.obj: face 1 (counted from 1) crosses itself";
  EXPECT_THAT(refusal_of_faces({{0, 0, 0}, {1, 1, 0}, {1, 0, 0}, {0, 1, 0}}), HasSubstr(expected));
  EXPECT_THAT(refusal_of_faces({{0, 0, 0}, {3, 1, 0}, {3, 0, 0}, {0, 2, 0}}), HasSubstr(expected));
  Corners pentagram;
  for (int i = 0; i < 5; ++i)
    pentagram.push_back({std::cos(4 * std::numbers::pi * i / 5), std::sin(4 * std::numbers::pi * i / 5), 0});
  EXPECT_THAT(refusal_of_faces(pentagram), HasSubstr(expected));
  // Through a corner of its own, from one side to the other.
  EXPECT_THAT(refusal_of_faces({{0, 0, 0}, {2, 2, 0}, {2, 0, 0}, {1, 1, 0}, {0, 2, 0}}), HasSubstr(expected));
}

TEST(CutFaces, KeepTheOrderOfFaces) {
  const Corners corners = {{0, 0, 0}, {2, 0, 0}, {2, 2, 0}, {1, 0.5, 0}, {5, 5, 5}};
  FaceList faces;
  faces.add(std::vector<std::uint32_t>{0, 1, 4});
  faces.add(std::vector<std::uint32_t>{0, 1, 2, 3});
  faces.add(std::vector<std::uint32_t>{0, 1, 2, 2});
  faces.add(std::vector<std::uint32_t>{1, 2, 4});
  const std::vector<Triangle> triangles = cut_faces(std::move(faces), corners, "f");
  ASSERT_EQ(triangles.size(), 5U);
  EXPECT_EQ(triangles.front(), (Triangle{0, 1, 4}));
  EXPECT_EQ(triangles.back(), (Triangle{1, 2, 4}));
  EXPECT_NEAR(area(corners, triangles[1]) + area(corners, triangles[2]), 1.5, 1e-15);
}

// A square that is there again, from its second corner, turned, and with vertices of its own.
TEST(CutFaces, GiveARepeatedConvexFaceTheSameTriangles) {
  const Corners corners = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 0, -0.0},
                           {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {2, 0, 0}, {2, 1, 0}};
  FaceList faces;
  for (const std::vector<std::uint32_t>& face : std::vector<std::vector<std::uint32_t>>{
           {0, 1, 2, 3}, {1, 2, 3, 0}, {3, 2, 1, 0}, {5, 6, 7, 4}, {1, 8, 9, 2}})
    faces.add(face);
  const std::vector<Triangle> triangles = cut_faces(std::move(faces), corners, "f");
  ASSERT_EQ(triangles.size(), 10U);
  EXPECT_EQ(join_faces(corners, triangles).counts.repeated, 6U);
  EXPECT_EQ(triangles[0], (Triangle{0, 1, 2})) << "the first one stays its fan";
  EXPECT_EQ(triangles[8], (Triangle{1, 8, 9}));
}

TEST(CutFaces, TakeNoLongerThanASquareForManyCorners) {
  Corners wheel;  // 2000 teeth
  for (int i = 0; i < 4000; ++i) {
    const double angle = std::numbers::pi * i / 2000, radius = i % 2 == 0 ? 1 : 0.9;
    wheel.push_back({radius * std::cos(angle), radius * std::sin(angle), 0});
  }
  EXPECT_NEAR(area(wheel), 4000 * 0.5 * 0.9 * std::sin(std::numbers::pi / 2000), 1e-9);
  wheel.resize(3);
  for (int i = 0; i < 10001; ++i) wheel.push_back({-1.0 * i, 1, 0});
  EXPECT_THAT(refusal_of_faces(wheel), HasSubstr("has more than 10000 corners"));
}

}  // namespace
}  // namespace aqbench
