#pragma once
// The faces of a mesh as they are connected: by the places of their corners, each face once; and which way
// they look, whatever their winding.

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

// How a face stands in its part of the mesh.
struct FaceStand {
  bool is_closed = false;     // the part encloses a volume
  bool is_turned = false;     // the face looks against its winding
  bool is_wall = false;       // of a closed part: both of its sides lie within it
  bool is_cavity = false;     // the part is empty, in another one
  bool is_entangled = false;  // the part may meet other closed ones, so that faces of it may lie within these
  std::uint32_t part = 0;     // its number
};

// Finds how each face stands. Faces with an edge in common that no third face has make a part; a part is
// closed if every edge of it has two of its faces, it has two sides and a volume. Parts that meet in edges of
// more than two faces, and have no other ends, are one if these enclose volumes: about an edge, what lies
// between one face and the next is one room. A face between two such rooms is a wall. A closed part looks
// away from what it encloses. It is a cavity if it lies whole in an odd number of other closed parts and
// meets none; then it looks into itself: always away from what is solid. An open part, where it has two
// sides, looks towards smaller z by its vector area (where that is level, towards smaller y, then x). With
// cameras an open part looks out of the volume that it nearly encloses, or, if it does not or they stand
// inside, to the side that they see more of, by the solid angles of its faces. Faces are those of
// join_faces(). No answer depends on the winding.
std::vector<FaceStand> find_stands(std::span<const Eigen::Vector3d> vertices, std::span<const Triangle> faces,
                                   std::span<const Eigen::Vector3d> cameras = {});

}  // namespace aqbench
