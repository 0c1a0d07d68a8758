#pragma once
// The faces of a mesh as they are connected: by the places of their corners, each face once.

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "scenes/triangles/faces.h"

namespace aqbench {

// How many triangles a mesh has, and what is left out of them.
struct FaceCounts {
  std::size_t faces = 0;         // in the file, cut into triangles
  std::size_t repeated = 0;      // there already, in this winding or the other: they count once
  std::size_t without_area = 0;  // a line or a point
};

// The triangles of a mesh that have an area.
struct JoinedFaces {
  std::vector<Triangle> triangles;  // of vertices at one place, bit for bit, they name the first
  FaceCounts counts;
};

// Returns for each vertex the first one at its place; 0 and -0 are the same.
std::vector<std::uint32_t> first_at_place(std::span<const Eigen::Vector3d> vertices);

// Joins faces whose corners lie at the same places, and leaves out what has no area or is there twice.
// Indices must be those of vertices.
JoinedFaces join_faces(std::span<const Eigen::Vector3d> vertices, std::span<const Triangle> triangles);

// An edge of a face, between the vertices ends >> 32 and ends & 0xffffffff, the smaller one first.
struct FaceEdge {
  std::uint64_t ends;
  std::uint32_t face;
  std::uint32_t side;  // 0, 1, 2: from corner `side` to the next
  bool upward;         // whether the face runs from the smaller vertex to the larger
};

// Returns the edges of all faces by their ends, those of one edge by the face.
std::vector<FaceEdge> edges_by_ends(std::span<const Triangle> faces);

// Calls body(edges) for each edge with all that it is the edge of.
template <class Body>
void for_each_edge(std::span<const FaceEdge> edges, const Body& body) {
  for (std::size_t begin = 0, end = 0; begin < edges.size(); begin = end) {
    for (end = begin; end < edges.size() && edges[end].ends == edges[begin].ends;) ++end;
    body(edges.subspan(begin, end - begin));
  }
}

}  // namespace aqbench
