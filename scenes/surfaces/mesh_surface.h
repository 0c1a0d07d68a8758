#pragma once
// True surfaces with open borders: meshes and scans.

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <ranges>
#include <span>

#include "scenes/surfaces/surface.h"
#include "scenes/triangles/joined_faces.h"

namespace aqbench {

// A surface without a patch, which may have open borders.
class BorderedSurface : public Surface {
 public:
  // Like closest_points(), and returns for each query whether the surface ends there: whether its closest
  // point lies on an open border, so that the query lies beyond it. The spans have one size;
  // `beyond_border` may also be empty.
  virtual void closest_points_and_borders(std::span<const Vec3> points_m, std::span<ClosestPoint> out,
                                          std::span<std::uint8_t> beyond_border) const = 0;

  // Returns the box of the surface.
  virtual Eigen::AlignedBox3d bounds_m() const = 0;

  // Returns what a mesh has for faces; nullptr for a scan.
  virtual const FaceCounts* face_counts() const { return nullptr; }

  const Patch* patch() const final { return nullptr; }
  void closest_points(std::span<const Vec3> points_m, std::span<ClosestPoint> out) const final;
  void signed_distances(std::span<const Vec3> points_m, std::span<double> out_m) const final;
};

// Returns the direction from a position towards the nearest of some cameras; (0, 0, -1) if there is none.
inline Vec3 towards_nearest(const Vec3& position_m, std::span<const Vec3> cameras_m) {
  const auto nearest = std::ranges::min_element(
      cameras_m, {}, [&](const Vec3& camera) { return (camera - position_m).squaredNorm(); });
  return nearest == cameras_m.end() ? Vec3(0, 0, -1) : Vec3(*nearest - position_m);
}

// The side of a closed mesh on which the cameras stand.
enum class MeshSide { outside, inside };

// Makes a true surface of a mesh. Faces are joined where their corners lie at one place; one that is there
// twice counts once (join_faces()). Closest triangles come from a tree of boxes
// (triangle_tree.h), all in double, so that results are exact to rounding: where two parts of the mesh are
// equally near within that, it is one of the two, whatever is asked before. A normal is that of the closest
// triangle. In a closed part it looks out of the solid (find_stands()); elsewhere as the
// cameras say there, or without any towards z = -infinity (that of a vertical triangle as its part does). A
// distance is positive on the side of that normal; on an edge or a corner the side is that of the
// angle-weighted mean normal (Baerentzen and Aanaes, "Signed distance computation using the angle weighted
// pseudonormal", TVCG 2005). Where closed parts reach into each other it is negative in any of them, in
// cavities it is not (OverlappingBodies). An edge that one face alone has is an open border, and so are its
// ends. patch() is nullptr; mesh() returns the mesh itself at any pitch. Throws Error(input): no triangles,
// an index out of range, a vertex that is not finite, no area, or more triangles or vertices than 31 bits
// count. MeshSide::inside: cameras stand in the closed parts, which look the other way then.
std::shared_ptr<const BorderedSurface> make_mesh_surface(TriangleMesh mesh, MeshSide side = MeshSide::outside,
                                                         std::span<const Vec3> cameras_m = {});

// ---- Which face of a mesh a ray meets first, by Embree, which is in a module (core/module.h) ----

// A triangle mesh prepared for searches. Calls run on the calling thread.
class FaceSearch {
 public:
  virtual ~FaceSearch() = default;

  // Writes the index of the first face on each ray: x, y, z of its origin and of its direction, so that
  // rays.size() == 6 * faces.size(), in the coordinates of the vertices. An index beyond the mesh's faces
  // where it meets none.
  virtual void first_faces(std::span<const float> rays, std::span<std::uint32_t> faces) const = 0;
};

// Prepares a mesh: vertices as x, y, z, and triangles as indices of vertices. Throws Error(input) where the
// module is not installed.
std::unique_ptr<FaceSearch> make_face_search(std::span<const float> vertices_xyz,
                                             std::span<const std::array<std::uint32_t, 3>> triangles);

// The functions of the module `meshes`.
struct MeshesTable {
  std::unique_ptr<FaceSearch> (*make_face_search)(std::span<const float> vertices_xyz,
                                                  std::span<const std::array<std::uint32_t, 3>> triangles);
};

}  // namespace aqbench
