#pragma once
// How a triangle mesh hangs together.

#include <cstddef>

#include "scenes/cloud/reconstruction.h"

namespace aqbench {

struct MeshTopology {
  std::size_t components = 0;         // sets of triangles joined by shared vertices
  std::size_t nonmanifold_edges = 0;  // edges of three or more triangles
  double boundary_m = 0;              // length of the edges of one triangle
};

// Triangles that name a vertex twice have no area and no part in this. Vertices at the same place under two
// numbers are two vertices.
MeshTopology mesh_topology(const TriangleMesh& mesh);

// Throws Error(method) naming the first triangle that names a vertex that is not there, or the first vertex
// that is not finite.
void check_mesh(const TriangleMesh& mesh);

}  // namespace aqbench
