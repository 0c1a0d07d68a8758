#pragma once
// The parts of a mesh, while it is found out how they stand.

#include <Eigen/Core>
#include <cstdint>
#include <span>
#include <vector>

#include "scenes/triangles/joined_faces.h"

namespace aqbench {

// Faces that hang together.
struct Part {
  bool is_closed = true;
  bool is_turned = false;                                  // its first face looks against its winding
  Eigen::Vector3d doubled_area = Eigen::Vector3d::Zero();  // vector area, by the winding of its first face
  double sixfold_volume = 0;                               // the same, about its first corner
  double absolute = 0;                                     // of the parts of sixfold_volume
  double doubled_size = 0;                                 // area
  Eigen::Vector3d corners = Eigen::Vector3d::Zero();       // sum over the faces, from its first corner
  double faces = 0;
  double away = 0;  // solid angle of what looks away from a camera, less that of what looks at it; sum
  std::uint32_t first_face = 0;
  bool has_end = false;                                           // an edge with one face, or one side alone
  bool is_wall = false, is_cavity = false, is_entangled = false;  // as FaceStand says
  std::uint32_t body = 0;  // the first part of what encloses a volume with it
};

// The parts of a mesh, and how the faces of each follow each other.
struct Parts {
  std::vector<Part> parts;
  std::vector<std::uint32_t> part_of;  // of faces
  std::vector<bool> against;           // of faces: wound against the first face of the part
};

// Closes parts without ends that enclose volumes together, and turns them: see find_stands().
void close_rooms(std::span<const Eigen::Vector3d> vertices, std::span<const Triangle> faces,
                 std::span<const FaceEdge> edges, Parts& parts);

// Finds the cavities and turns them, and the closed parts that may meet others.
void find_cavities(std::span<const Eigen::Vector3d> vertices, std::span<const Triangle> faces, Parts& parts);

}  // namespace aqbench
