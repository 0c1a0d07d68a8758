#pragma once
// The points that protocols take of a mesh that is scored.

#include <vector>

#include "scenes/cloud/reconstruction.h"

namespace aqbench {

// What a scored mesh becomes.
enum class MeshCloud {
  vertices,  // all of them, referenced or not
  faces,     // vertices, then samples of the faces (face_samples_m())
  centres,   // vertices, then the mean of the three corners of each face
};

// Returns samples of the faces as DTU's program for meshes takes them (jzhangbs/DTUeval-python, eval.py, mode
// mesh): on each face in its order, a grid along its first two sides with about one sample for each square of
// the spacing. They depend on the corner that a face begins with. A face without an area has none, nor has
// one with a side below the spacing. Throws Error(usage) where they are more than 100 million.
std::vector<Vec3> face_samples_m(const TriangleMesh& mesh, double spacing_m);

// Returns the points of a mesh; the spacing, in metres, is that of the samples of faces.
std::vector<Vec3> points_of_mesh_m(const TriangleMesh& mesh, MeshCloud kind, double spacing_m);

}  // namespace aqbench
