#pragma once
// A mesh with fewer triangles, for a page: vertices that lie together become one (Rossignac and Borrel,
// "Multi-resolution 3D approximations for rendering complex scenes", 1993).

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "scenes/cloud/reconstruction.h"

namespace aqbench {

// Holds the triangles that are left, and how far the mesh was changed for it.
struct SimplifiedMesh {
  std::vector<std::array<std::uint32_t, 3>> triangles;  // of the vertices of the mesh that was given
  double moved_m = 0;  // the largest distance between a vertex and the one that stands for it
};

// Returns the triangles with finite corners, at most `most` of them. Where there are more, space is cut into
// cubes, the vertex nearest to the mean of its cube stands for all in it, and what is no triangle any more,
// or the same as another, is left out; the cubes are the smallest of a row, each 1.15 times the one before,
// with which it fits. The same mesh gives the same triangles.
SimplifiedMesh simplify_mesh(const TriangleMesh& mesh, std::size_t most);

}  // namespace aqbench
