#include "metrics/mesh_topology.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

#include "core/error.h"
#include "metrics/measurable.h"

namespace aqbench {
namespace {

bool names_a_vertex_twice(const std::array<std::uint32_t, 3>& triangle) {
  return triangle[0] == triangle[1] || triangle[1] == triangle[2] || triangle[2] == triangle[0];
}

// Sets of vertices, joined by triangles; with path halving.
class VertexSets {
 public:
  explicit VertexSets(std::size_t count) : parent_(count) { std::iota(parent_.begin(), parent_.end(), 0U); }

  std::uint32_t root(std::uint32_t vertex) {
    while (parent_[vertex] != vertex) vertex = parent_[vertex] = parent_[parent_[vertex]];
    return vertex;
  }
  void join(std::uint32_t a, std::uint32_t b) {
    const auto [low, high] = std::minmax({root(a), root(b)});
    parent_[high] = low;
  }

 private:
  std::vector<std::uint32_t> parent_;
};

std::size_t count_components(const TriangleMesh& mesh) {
  VertexSets sets(mesh.vertices_m.size());
  std::vector<bool> used(mesh.vertices_m.size());
  for (const auto& triangle : mesh.triangles) {
    if (names_a_vertex_twice(triangle)) continue;
    sets.join(triangle[0], triangle[1]);
    sets.join(triangle[1], triangle[2]);
    for (const std::uint32_t vertex : triangle) used[vertex] = true;
  }
  std::size_t components = 0;
  for (std::uint32_t vertex = 0; vertex < used.size(); ++vertex) {
    if (used[vertex] && sets.root(vertex) == vertex) ++components;
  }
  return components;
}

}  // namespace

MeshTopology mesh_topology(const TriangleMesh& mesh) {
  MeshTopology topology;
  topology.components = count_components(mesh);
  std::vector<std::uint64_t> edges;  // smaller vertex number in the high half
  edges.reserve(mesh.triangles.size() * 3);
  for (const auto& triangle : mesh.triangles) {
    if (names_a_vertex_twice(triangle)) continue;
    for (std::size_t corner = 0; corner < 3; ++corner) {
      const std::uint32_t a = triangle[corner], b = triangle[(corner + 1) % 3];
      const auto [low, high] = std::minmax({a, b});
      edges.push_back((std::uint64_t{low} << 32U) | high);
    }
  }
  std::ranges::sort(edges);
  for (std::size_t begin = 0; begin < edges.size();) {
    std::size_t end = begin + 1;
    while (end < edges.size() && edges[end] == edges[begin]) ++end;
    if (end - begin >= 3) ++topology.nonmanifold_edges;
    if (end - begin == 1) {
      const Vec3& low = mesh.vertices_m[edges[begin] >> 32U];
      const Vec3& high = mesh.vertices_m[edges[begin] & 0xffffffffU];
      topology.boundary_m += (high - low).norm();
    }
    begin = end;
  }
  return topology;
}

void check_mesh(const TriangleMesh& mesh) {
  for (std::size_t i = 0; i < mesh.vertices_m.size(); ++i) {
    if (is_measurable(mesh.vertices_m[i])) continue;
    throw Error(ErrorKind::method, fmt::format("mesh.vertices_m[{}]: not finite", i));
  }
  for (std::size_t i = 0; i < mesh.triangles.size(); ++i) {
    const std::uint32_t largest = std::ranges::max(mesh.triangles[i]);
    if (largest < mesh.vertices_m.size()) continue;
    throw Error(ErrorKind::method, fmt::format("mesh.triangles[{}]: vertex {} of {} vertices", i, largest,
                                               mesh.vertices_m.size()));
  }
}

}  // namespace aqbench
