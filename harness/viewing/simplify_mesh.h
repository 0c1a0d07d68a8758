#pragma once
// A mesh with fewer triangles, for a page: vertices that lie together become one (Rossignac and Borrel,
// "Multi-resolution 3D approximations for rendering complex scenes", 1993).

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "scenes/cloud/reconstruction.h"

namespace aqbench {

// The triangles that are left, and how far vertices were moved.
struct SimplifiedMesh {
  std::vector<std::array<std::uint32_t, 3>> triangles;  // of the vertices of the mesh that was given
  double moved_m = 0;  // the largest distance between a vertex and the one that stands for it
};

// Returns the triangles with finite corners, at most `most` of them. Where there are more, space is cut into
// cubes, the vertex nearest to the mean of its cube stands for all in it, and triangles that lost a corner,
// or are the same as another, are left out. Sizes of cubes are tried, each 1.15 times the one before; the
// first with which few enough triangles are left is taken. The same mesh gives the same triangles.
SimplifiedMesh simplify_mesh(const TriangleMesh& mesh, std::size_t most);

}  // namespace aqbench
