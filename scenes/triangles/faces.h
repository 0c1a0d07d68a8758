#pragma once
// The faces of a mesh file, cut into triangles.

#include <Eigen/Core>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace aqbench {

// The corners of a triangle, as indices of vertices.
using Triangle = std::array<std::uint32_t, 3>;

// Faces in the order of their file. Each is a fan of triangles about its first corner until cut_faces().
class FaceList {
 public:
  // Adds a face of at least three corners.
  void add(std::span<const std::uint32_t> corners);
  bool empty() const { return triangles_.empty(); }
  void reserve(std::size_t faces) { triangles_.reserve(faces); }

 private:
  friend std::vector<Triangle> cut_faces(FaceList faces, std::span<const Eigen::Vector3d> vertices,
                                         const std::string& name);
  // A face of more than three corners.
  struct Polygon {
    std::size_t face;            // its number in the file, from 1
    std::size_t first_triangle;  // of its fan
    std::size_t corners;
  };

  std::vector<Triangle> triangles_;
  std::vector<Polygon> polygons_;
  std::size_t faces_ = 0;
};

// Cuts faces into triangles that cover them, in their order. A convex face in one plane stays the fan about
// its first corner; one with the same corners as an earlier one has the triangles of that. Any other loses ears (Meisters, "Polygons have ears", 1975) in its own plane, that of its
// vector area, the one with the shortest diagonal first, so that neither the corner it starts at nor its
// winding changes the triangles. A face may touch itself, as one with a hole and a bridge to it does. One
// whose corners lie on a line becomes one triangle without area. Throws Error(input) naming file and face for
// one that crosses itself, and for one of more than 10000 corners.
std::vector<Triangle> cut_faces(FaceList faces, std::span<const Eigen::Vector3d> vertices,
                                const std::string& name);

}  // namespace aqbench
