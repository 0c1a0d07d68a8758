// The module `meshes`: closest faces by Open3D's RaycastingScene, on Embree.
#include <open3d/core/Tensor.h>
#include <open3d/t/geometry/RaycastingScene.h>

#include <algorithm>

#include "scenes/surfaces/face_search.h"

namespace aqbench {
namespace {

using open3d::core::Tensor;

class Open3dFaceSearch final : public FaceSearch {
 public:
  Open3dFaceSearch(std::span<const float> vertices_xyz,
                   std::span<const std::array<std::uint32_t, 3>> triangles) {
    Tensor vertices({static_cast<std::int64_t>(vertices_xyz.size() / 3), 3}, open3d::core::Float32);
    std::ranges::copy(vertices_xyz, vertices.GetDataPtr<float>());
    Tensor indices({static_cast<std::int64_t>(triangles.size()), 3}, open3d::core::UInt32);
    auto* index = indices.GetDataPtr<std::uint32_t>();
    for (const auto& triangle : triangles) index = std::ranges::copy(triangle, index).out;
    scene_.AddTriangles(vertices, indices);
    // The first question commits the scene, which is not safe from several threads.
    std::array<std::uint32_t, 1> face{};
    closest_faces(vertices_xyz.first(3), face);
  }

  void closest_faces(std::span<const float> points_xyz, std::span<std::uint32_t> faces) const override {
    Tensor queries({static_cast<std::int64_t>(faces.size()), 3}, open3d::core::Float32);
    std::ranges::copy(points_xyz, queries.GetDataPtr<float>());
    auto found = scene_.ComputeClosestPoints(queries, 1);
    std::copy_n(found.at("primitive_ids").GetDataPtr<std::uint32_t>(), faces.size(), faces.begin());
  }

  void first_faces(std::span<const float> rays, std::span<std::uint32_t> faces) const override {
    Tensor queries({static_cast<std::int64_t>(faces.size()), 6}, open3d::core::Float32);
    std::ranges::copy(rays, queries.GetDataPtr<float>());
    auto found = scene_.CastRays(queries, 1);
    std::copy_n(found.at("primitive_ids").GetDataPtr<std::uint32_t>(), faces.size(), faces.begin());
  }

 private:
  // Questions are const in effect, not in Open3D's signature.
  mutable open3d::t::geometry::RaycastingScene scene_{1};
};

std::unique_ptr<FaceSearch> make_open3d_face_search(std::span<const float> vertices_xyz,
                                                    std::span<const std::array<std::uint32_t, 3>> triangles) {
  return std::make_unique<Open3dFaceSearch>(vertices_xyz, triangles);
}

}  // namespace
}  // namespace aqbench

extern "C" const aqbench::MeshesTable aqbench_meshes_table;
const aqbench::MeshesTable aqbench_meshes_table = {.make_face_search = &aqbench::make_open3d_face_search};
