#include "scenes/surfaces/overlapping_bodies.h"

#include <algorithm>
#include <map>
#include <utility>

namespace aqbench {
namespace {

// Returns some faces of a mesh as one of its own.
TriangleMesh mesh_of(const TriangleMesh& mesh, std::span<const Triangle> faces,
                     std::span<const std::uint32_t> chosen) {
  std::vector<std::uint32_t> used;
  for (const std::uint32_t face : chosen) used.insert(used.end(), faces[face].begin(), faces[face].end());
  std::ranges::sort(used);
  used.erase(std::unique(used.begin(), used.end()), used.end());
  TriangleMesh part;
  for (const std::uint32_t vertex : used) part.vertices_m.push_back(mesh.vertices_m[vertex]);
  for (const std::uint32_t face : chosen) {
    Triangle triangle = faces[face];
    for (std::uint32_t& vertex : triangle)
      vertex = static_cast<std::uint32_t>(std::ranges::lower_bound(used, vertex) - used.begin());
    part.triangles.push_back(triangle);
  }
  return part;
}

}  // namespace

OverlappingBodies::OverlappingBodies(const TriangleMesh& mesh, std::span<const Triangle> faces,
                                     std::span<const FaceStand> stands, const SurfaceMaker& make) {
  if (std::ranges::none_of(stands, &FaceStand::is_entangled)) return;
  stands_.assign(stands.begin(), stands.end());
  std::map<std::uint32_t, std::vector<std::uint32_t>> faces_of;
  for (std::uint32_t face = 0; face < stands.size(); ++face)
    if (stands[face].is_closed && !stands[face].is_wall) faces_of[stands[face].part].push_back(face);
  for (const auto& [part, chosen] : faces_of) {
    Body body;
    TriangleMesh own = mesh_of(mesh, faces, chosen);
    for (const Vec3& vertex : own.vertices_m) body.box_m.extend(vertex);
    body.surface = make(std::move(own));
    body.winding = stands[chosen.front()].is_cavity ? -1 : 1;
    bodies_.push_back(std::move(body));
  }
}

bool OverlappingBodies::is_solid(const Vec3& place_m) const {
  int winding = 0;
  for (const Body& body : bodies_) {
    if (!body.box_m.contains(place_m)) continue;
    double distance_m = 0;
    body.surface->signed_distances(std::span(&place_m, 1), std::span(&distance_m, 1));
    if (distance_m < 0) winding += body.winding;
  }
  return winding > 0;
}

}  // namespace aqbench
