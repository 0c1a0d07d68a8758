#pragma once
// Which way the faces of a mesh look, whatever their winding.

#include <Eigen/Core>
#include <span>
#include <vector>

#include "scenes/triangles/faces.h"

namespace aqbench {

// How a face stands in its part of the mesh.
struct FaceStand {
  bool is_closed = false;  // the part encloses a volume
  bool is_turned = false;  // the face looks against its winding
};

// Finds how each face stands. Faces with an edge in common that no third face has make a part; a part is
// closed if every edge of it has two of its faces, it has two sides and a volume. A closed part looks away
// from what it encloses. In an odd number of other closed parts it is a cavity of them, and looks into
// itself: always away from what is solid. An open part, where it has two sides, looks towards smaller z by
// its vector area (where that is level, towards smaller y, then x). With cameras an open part looks out of
// the volume that it nearly encloses, or, if it does not or they stand inside, to the side that they see more
// of, by the solid angles of its faces. Faces are those of join_faces(). No answer depends on the winding.
std::vector<FaceStand> find_stands(std::span<const Eigen::Vector3d> vertices, std::span<const Triangle> faces,
                                   std::span<const Eigen::Vector3d> cameras = {});

}  // namespace aqbench
