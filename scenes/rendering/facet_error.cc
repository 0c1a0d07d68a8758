#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "scenes/rendering/imaging.h"

namespace aqbench {
namespace {

constexpr double kTrueEdge_rad = 0.5236;

struct FacetFace {
  Vec3 normal;
  double area_m2 = 0, radius_m = 0;
  double curvature = 0;  // the largest that an edge of it means, 1/m
};

struct FacetEdge {
  std::uint64_t ends;
  std::uint32_t face;
  double length_m;
};

FacetFace facet_of(const Vec3& a, const Vec3& b, const Vec3& c) {
  const double ab = (b - a).norm(), bc = (c - b).norm(), ca = (a - c).norm();
  const Vec3 cross = (b - a).cross(c - a);
  const double twice_area = cross.norm();
  if (!(twice_area > 0)) return {Vec3::Zero()};
  return {cross / twice_area, 0.5 * twice_area, ab * bc * ca / (2 * twice_area)};
}

}  // namespace

double facet_error_m(const TriangleMesh& mesh) {
  std::vector<FacetFace> faces;
  std::vector<FacetEdge> edges;
  for (const auto& triangle : mesh.triangles) {
    for (std::size_t k = 0; k < 3; ++k) {
      const auto [low, high] = std::minmax(triangle[k], triangle[(k + 1) % 3]);
      edges.push_back({std::uint64_t{low} << 32 | high, static_cast<std::uint32_t>(faces.size()),
                       (mesh.vertices_m[high] - mesh.vertices_m[low]).norm()});
    }
    faces.push_back(
        facet_of(mesh.vertices_m[triangle[0]], mesh.vertices_m[triangle[1]], mesh.vertices_m[triangle[2]]));
  }
  std::ranges::sort(edges, {}, [](const FacetEdge& edge) { return std::pair(edge.ends, edge.face); });
  for (std::size_t i = 0; i + 1 < edges.size(); ++i) {
    if (edges[i].ends != edges[i + 1].ends) continue;
    FacetFace &one = faces[edges[i].face], &other = faces[edges[i + 1].face];
    const double angle_rad =
        std::atan2(one.normal.cross(other.normal).norm(), std::abs(one.normal.dot(other.normal)));
    // The centres of the two faces are a third of both heights over the edge apart.
    const double apart_m = 2 * (one.area_m2 + other.area_m2) / (3 * edges[i].length_m);
    if (!(apart_m > 0) || angle_rad > kTrueEdge_rad) continue;
    one.curvature = std::max(one.curvature, angle_rad / apart_m);
    other.curvature = std::max(other.curvature, angle_rad / apart_m);
  }
  std::vector<std::pair<double, double>> errors;  // error, area
  double total_m2 = 0;
  for (const FacetFace& face : faces) {
    errors.emplace_back(0.5 * face.curvature * face.radius_m * face.radius_m, face.area_m2);
    total_m2 += face.area_m2;
  }
  std::ranges::sort(errors);
  double below_m2 = 0;
  for (const auto& [error_m, area_m2] : errors)
    if ((below_m2 += area_m2) >= 0.95 * total_m2) return error_m;
  return 0;
}

}  // namespace aqbench
