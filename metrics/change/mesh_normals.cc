#include <Eigen/Geometry>
#include <cstdint>
#include <vector>

#include "metrics/change/sides.h"
#include "scenes/triangles/joined_faces.h"

namespace aqbench {

std::vector<Vec3> normals_of_mesh(const TriangleMesh& mesh, const Vec3& up) {
  // Open parts look towards smaller z: the mesh stands on its head.
  const Eigen::Quaterniond turn = Eigen::Quaterniond::FromTwoVectors(up, -Vec3::UnitZ());
  std::vector<Vec3> turned;
  turned.reserve(mesh.vertices_m.size());
  for (const Vec3& vertex : mesh.vertices_m) turned.push_back(turn * vertex);
  const JoinedFaces joined = join_faces(turned, mesh.triangles);
  const std::vector<FaceStand> stands = find_stands(turned, joined.triangles);
  std::vector<Vec3> normals(mesh.vertices_m.size(), Vec3::Zero());
  for (std::size_t i = 0; i < stands.size(); ++i) {
    if (stands[i].is_wall) continue;
    const auto& [a, b, c] = joined.triangles[i];
    const Vec3& corner = mesh.vertices_m[a];
    const Vec3 doubled = (mesh.vertices_m[b] - corner).cross(mesh.vertices_m[c] - corner);
    for (const std::uint32_t vertex : {a, b, c}) normals[vertex] += stands[i].is_turned ? -doubled : doubled;
  }
  for (Vec3& normal : normals)
    if (const double length = normal.norm(); length > 0) normal /= length;
  return normals;
}

}  // namespace aqbench
