#include "metrics/protocols/mesh_points.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <cstddef>

#include "core/error.h"

namespace aqbench {
namespace {

constexpr std::size_t kMaxSamples = 100'000'000;

// The samples of one face in the steps of the reference program, which counts in mm: in another unit a side
// that is a multiple of the spacing may be rounded to the other side of it. The order of sums is that
// program's: of samples at equal x the last bit decides which comes first, and so which is thinned.
void add_face_samples(const Vec3& p0_mm, const Vec3& p1_mm, const Vec3& p2_mm, double spacing_mm,
                      std::vector<Vec3>& samples_m) {
  const Vec3 side_1 = p1_mm - p0_mm, side_2 = p2_mm - p0_mm;
  const double length_1 = side_1.norm(), length_2 = side_2.norm(), area = side_1.cross(side_2).norm();
  if (!(area > 0)) return;
  const double step_mm = spacing_mm * std::sqrt(length_1 * length_2 / area);
  const double steps_1 = std::floor(length_1 / step_mm), steps_2 = std::floor(length_2 / step_mm);
  if (!(steps_1 >= 1 && steps_2 >= 1)) return;
  if (steps_1 * steps_2 > 2.0 * static_cast<double>(kMaxSamples - samples_m.size()))
    throw usage_error("the faces of the mesh give more than {} million samples; check its unit",
                      kMaxSamples / 1'000'000);
  for (double i = 0; i <= steps_1; ++i)
    for (double j = 0; j <= steps_2; ++j) {
      const double u = (i + 0.5) / steps_1, v = (j + 0.5) / steps_2;
      if (u + v < 1) samples_m.emplace_back((u * side_1 + v * side_2 + p0_mm) / 1000);
    }
}

}  // namespace

std::vector<Vec3> face_samples_m(const TriangleMesh& mesh, double spacing_m) {
  std::vector<Vec3> samples_m;
  const auto corner_mm = [&](std::uint32_t vertex) { return Vec3(1000 * mesh.vertices_m[vertex]); };
  for (const auto& [a, b, c] : mesh.triangles)
    add_face_samples(corner_mm(a), corner_mm(b), corner_mm(c), 1000 * spacing_m, samples_m);
  return samples_m;
}

std::vector<Vec3> points_of_mesh_m(const TriangleMesh& mesh, MeshCloud kind, double spacing_m) {
  std::vector<Vec3> points_m = mesh.vertices_m;
  if (kind == MeshCloud::faces) {
    const std::vector<Vec3> samples_m = face_samples_m(mesh, spacing_m);
    points_m.insert(points_m.end(), samples_m.begin(), samples_m.end());
  } else if (kind == MeshCloud::centres) {
    for (const auto& [a, b, c] : mesh.triangles)
      points_m.emplace_back((mesh.vertices_m[a] + mesh.vertices_m[b] + mesh.vertices_m[c]) / 3);
  }
  return points_m;
}

}  // namespace aqbench
