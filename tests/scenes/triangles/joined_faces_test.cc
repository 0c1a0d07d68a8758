#include "scenes/triangles/joined_faces.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace aqbench {
namespace {

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

}  // namespace
}  // namespace aqbench
