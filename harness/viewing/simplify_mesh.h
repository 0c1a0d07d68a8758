#pragma once
// Simplifies a mesh for a page: merges nearby vertices (Rossignac and Borrel, "Multi-resolution 3D
// approximations for rendering complex scenes", 1993).

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "scenes/cloud/reconstruction.h"

namespace aqbench {

// The remaining triangles, and how far vertices were moved.
struct SimplifiedMesh {
  std::vector<std::array<std::uint32_t, 3>> triangles;  // of the vertices of the original mesh
  double moved_m = 0;  // the largest distance between a vertex and its representative
};

// Returns the triangles with finite corners, at most `most` of them. If there are more, space is divided into
// cubes, the vertex nearest to the mean of its cube represents all in it, and degenerate and duplicate
// triangles are dropped. Tries cube sizes that grow by 1.15 until few enough triangles are left. The same
// mesh gives the same triangles.
SimplifiedMesh simplify_mesh(const TriangleMesh& mesh, std::size_t most);

}  // namespace aqbench
