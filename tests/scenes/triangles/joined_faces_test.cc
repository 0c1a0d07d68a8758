#include "scenes/triangles/joined_faces.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <random>

namespace aqbench {
namespace {

using Eigen::Vector3d;
using testing::ElementsAre;

TEST(JoinFaces, NameTheFirstVertexAtAPlace) {
  const std::vector<Eigen::Vector3d> vertices = {{0, 0, 0}, {1, 0, 0}, {-0.0, 1, 0},
                                                 {1, 0, 0}, {1, 1, 0}, {0, 1, -0.0}};
  EXPECT_THAT(first_at_place(vertices), ElementsAre(0, 1, 2, 1, 4, 2));
  const std::vector<Triangle> apart = {{0, 1, 2}, {3, 4, 5}};
  const JoinedFaces joined = join_faces(vertices, apart);
  EXPECT_THAT(joined.triangles, ElementsAre(Triangle{0, 1, 2}, Triangle{1, 4, 2}));
  EXPECT_EQ(joined.counts.faces, 2U);
  EXPECT_EQ(joined.counts.repeated, 0U);
}

TEST(JoinFaces, CountAFaceOnceInEitherWinding) {
  const std::vector<Eigen::Vector3d> vertices = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0},
                                                 {0, 0, 1}, {2, 0, 0}, {1, 0, 0}};
  const std::vector<Triangle> faces = {{0, 1, 2}, {0, 1, 3}, {2, 0, 5}, {0, 2, 1}, {0, 1, 4}, {1, 1, 2}};
  const JoinedFaces joined = join_faces(vertices, faces);
  EXPECT_THAT(joined.triangles, ElementsAre(Triangle{0, 1, 2}, Triangle{0, 1, 3}));
  EXPECT_EQ(joined.counts.repeated, 2U);
  EXPECT_EQ(joined.counts.without_area, 2U);
}

TEST(EdgesByEnds, GroupTheFacesOfAnEdge) {
  const std::vector<Triangle> faces = {{0, 1, 2}, {2, 1, 3}};
  std::vector<std::size_t> sizes;
  std::vector<bool> upward;
  const std::vector<FaceEdge> edges = edges_by_ends(faces);
  for_each_edge(edges, [&](std::span<const FaceEdge> at) {
    sizes.push_back(at.size());
    if (at.size() == 2) upward = {at[0].upward, at[1].upward};
  });
  EXPECT_THAT(sizes, ElementsAre(1, 1, 2, 1, 1));
  EXPECT_THAT(upward, ElementsAre(true, false));  // wound alike: they run against each other
}

struct Shape {
  std::vector<Vector3d> vertices;
  std::vector<Triangle> faces;
};

// Adds a box of that size about a centre, wound outwards.
void add_box(Shape& shape, const Vector3d& centre, double size, bool with_lid = true) {
  const auto first = static_cast<std::uint32_t>(shape.vertices.size());
  for (int i = 0; i < 8; ++i)
    shape.vertices.push_back(centre + 0.5 * size * Vector3d(i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1));
  for (const Triangle& t : std::vector<Triangle>{{0, 2, 3},
                                                 {0, 3, 1},
                                                 {0, 1, 5},
                                                 {0, 5, 4},
                                                 {0, 4, 6},
                                                 {0, 6, 2},
                                                 {7, 3, 2},
                                                 {7, 2, 6},
                                                 {7, 5, 1},
                                                 {7, 1, 3},
                                                 {7, 6, 4},
                                                 {7, 4, 5}})
    if (with_lid || t[0] != 7 || (t[1] != 6 && t[1] != 4))
      shape.faces.push_back({first + t[0], first + t[1], first + t[2]});
}

// Whether the face's normal looks away from a place.
bool looks_away(const Shape& shape, const std::vector<FaceStand>& stands, std::size_t face,
                const Vector3d& from) {
  const auto& [a, b, c] = shape.faces[face];
  const Vector3d normal =
      (shape.vertices[b] - shape.vertices[a]).cross(shape.vertices[c] - shape.vertices[a]);
  return (normal.dot(shape.vertices[a] - from) > 0) != stands[face].is_turned;
}

std::vector<FaceStand> stands_of(const Shape& shape) { return find_stands(shape.vertices, shape.faces); }

void turn_some(Shape& shape, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  for (Triangle& face : shape.faces)
    if (random() % 2 == 0) std::swap(face[1], face[2]);
}

TEST(FindStands, ABoxLooksOutWhateverItsWinding) {
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    Shape box;
    add_box(box, {3, -2, 5}, 0.4);
    if (seed > 0) turn_some(box, seed);
    const auto stands = stands_of(box);
    for (std::size_t i = 0; i < box.faces.size(); ++i) {
      EXPECT_TRUE(stands[i].is_closed);
      EXPECT_TRUE(looks_away(box, stands, i, {3, -2, 5})) << seed << " " << i;
    }
  }
}

// A cavity looks into itself, a grain in the cavity out of itself again; what lies beside is not concerned.
TEST(FindStands, CavitiesLookAwayFromTheSolid) {
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    Shape nested;
    add_box(nested, {0, 0, 0}, 4);
    add_box(nested, {0, 0, 0}, 2);  // its corners lie on the diagonals of the outer faces
    add_box(nested, {0.1, 0.2, -0.1}, 1);
    add_box(nested, {5, 0, 0}, 1);
    if (seed > 0) turn_some(nested, seed);
    const auto stands = stands_of(nested);
    const Vector3d centres[] = {{0, 0, 0}, {0, 0, 0}, {0.1, 0.2, -0.1}, {5, 0, 0}};
    for (std::size_t i = 0; i < nested.faces.size(); ++i) {
      EXPECT_TRUE(stands[i].is_closed);
      EXPECT_EQ(looks_away(nested, stands, i, centres[i / 12]), i / 12 != 1) << seed << " " << i;
    }
  }
}

TEST(FindStands, BoxesThatShareAnEdgeAreTwoParts) {
  Shape boxes;
  add_box(boxes, {0, 0, 0}, 1);
  add_box(boxes, {1, 1, 0}, 1);
  for (Triangle& face : boxes.faces)  // by place
    for (std::uint32_t& corner : face)
      for (std::uint32_t other = 0; other < corner; ++other)
        if (boxes.vertices[other] == boxes.vertices[corner]) corner = other;
  const auto stands = stands_of(boxes);
  for (std::size_t i = 0; i < boxes.faces.size(); ++i) {
    EXPECT_TRUE(stands[i].is_closed) << i;
    EXPECT_TRUE(looks_away(boxes, stands, i, i < 12 ? Vector3d(0, 0, 0) : Vector3d(1, 1, 0))) << i;
  }
}

// Two that overlap, and three in a chain that touch in their corners: none is a cavity.
TEST(FindStands, BoxesThatOverlapOrTouchAreNoCavities) {
  const std::vector<std::vector<Vector3d>> groups = {
      {{0, 0, 0}, {0.5, 0.4, 0.3}}, {{0, 0, 0}, {1, 1, 1}, {2, 2, 2}}, {{0, 0, 0}, {1, 0.2, 0.1}}};
  for (const std::vector<Vector3d>& centres : groups) {
    Shape boxes;
    for (const Vector3d& centre : centres) add_box(boxes, centre, 1);
    const std::vector<FaceStand> stands = stands_of(boxes);
    for (std::size_t i = 0; i < boxes.faces.size(); ++i) {
      EXPECT_TRUE(stands[i].is_closed);
      EXPECT_TRUE(looks_away(boxes, stands, i, centres[i / 12])) << centres.size() << " " << i;
    }
  }
}

TEST(FindStands, AnOpenPartLooksTowardsSmallerZ) {
  Shape tub;  // without its lid at large z: its area vector is that of the bottom, down to small z
  add_box(tub, {0, 0, 0}, 1, false);
  ASSERT_EQ(tub.faces.size(), 10U);
  for (const bool turned : {false, true}) {
    if (turned)
      for (Triangle& face : tub.faces) std::swap(face[1], face[2]);
    const auto stands = stands_of(tub);
    for (std::size_t i = 0; i < tub.faces.size(); ++i) {
      EXPECT_FALSE(stands[i].is_closed);
      EXPECT_TRUE(looks_away(tub, stands, i, {0, 0, 0})) << i;
    }
  }
}

TEST(FindStands, AStripWithOneSideIsOpen) {
  Shape strip;
  constexpr int kSteps = 24;
  for (int i = 0; i < kSteps; ++i) {
    const double angle = 2 * M_PI * i / kSteps;
    const Vector3d out(std::cos(angle), std::sin(angle), 0);
    const Vector3d across = 0.3 * (std::cos(angle / 2) * out + std::sin(angle / 2) * Vector3d(0, 0, 1));
    strip.vertices.push_back(out + across);
    strip.vertices.push_back(out - across);
  }
  for (std::uint32_t i = 0; i < kSteps; ++i) {
    std::uint32_t a = 2 * i, b = 2 * i + 1, c = (2 * i + 2) % (2 * kSteps), d = (2 * i + 3) % (2 * kSteps);
    if (i + 1 == kSteps) std::swap(c, d);
    strip.faces.push_back({a, b, c});
    strip.faces.push_back({b, d, c});
  }
  for (const FaceStand& stand : stands_of(strip)) EXPECT_FALSE(stand.is_closed);
}

}  // namespace
}  // namespace aqbench
