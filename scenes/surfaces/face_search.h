#pragma once
// Finds which face of a triangle mesh a ray meets first, by Embree, which is in a module (core/module.h).

#include <array>
#include <cstdint>
#include <memory>
#include <span>

namespace aqbench {

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
