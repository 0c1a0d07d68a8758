#include "scenes/surfaces/face_search.h"

#include "core/module.h"

AQBENCH_MODULE_TABLE aqbench::MeshesTable aqbench_meshes_table;

namespace aqbench {
namespace {

const MeshesTable& meshes_table() {
  return module_table<MeshesTable>(Module::meshes, "aqbench_meshes_table", &aqbench_meshes_table);
}

}  // namespace

std::unique_ptr<FaceSearch> make_face_search(std::span<const float> vertices_xyz,
                                             std::span<const std::array<std::uint32_t, 3>> triangles) {
  return meshes_table().make_face_search(vertices_xyz, triangles);
}

}  // namespace aqbench
