#include "harness/viewing/make_view.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace aqbench {
namespace {

using MeshTriangle = std::array<std::uint32_t, 3>;

constexpr double kGrowth = 1.15;

// Rotates a triangle to begin with its smallest corner.
MeshTriangle turned(MeshTriangle triangle) {
  std::rotate(triangle.begin(), std::ranges::min_element(triangle), triangle.end());
  return triangle;
}

// Returns for each vertex in `used` its representative.
std::vector<std::uint32_t> representatives(const std::vector<Vec3>& vertices_m,
                                           const std::vector<std::uint32_t>& used, const Vec3& origin_m,
                                           double edge_m) {
  using Cell = std::array<std::int64_t, 3>;
  std::vector<std::pair<Cell, std::uint32_t>> cells;
  cells.reserve(used.size());
  for (const std::uint32_t i : used) {
    const Vec3 at = (vertices_m[i] - origin_m) / edge_m;
    cells.push_back({{static_cast<std::int64_t>(at.x()), static_cast<std::int64_t>(at.y()),
                      static_cast<std::int64_t>(at.z())},
                     i});
  }
  std::ranges::sort(cells);
  std::vector<std::uint32_t> found(vertices_m.size());
  for (std::size_t begin = 0, end = 0; begin < cells.size(); begin = end) {
    Vec3 mean_m = Vec3::Zero();
    for (end = begin; end < cells.size() && cells[end].first == cells[begin].first; ++end)
      mean_m += vertices_m[cells[end].second];
    mean_m /= static_cast<double>(end - begin);
    std::uint32_t best = cells[begin].second;
    for (std::size_t k = begin; k < end; ++k)
      if ((vertices_m[cells[k].second] - mean_m).squaredNorm() < (vertices_m[best] - mean_m).squaredNorm())
        best = cells[k].second;
    for (std::size_t k = begin; k < end; ++k) found[cells[k].second] = best;
  }
  return found;
}

std::vector<MeshTriangle> joined(const std::vector<MeshTriangle>& triangles,
                                 const std::vector<std::uint32_t>& stands_for) {
  std::vector<MeshTriangle> left;
  for (const MeshTriangle& triangle : triangles) {
    const MeshTriangle now = {stands_for[triangle[0]], stands_for[triangle[1]], stands_for[triangle[2]]};
    if (now[0] != now[1] && now[1] != now[2] && now[2] != now[0]) left.push_back(turned(now));
  }
  std::ranges::sort(left);
  left.erase(std::unique(left.begin(), left.end()), left.end());
  return left;
}

}  // namespace

SimplifiedMesh simplify_mesh(const TriangleMesh& mesh, std::size_t most) {
  SimplifiedMesh found;
  for (const MeshTriangle& triangle : mesh.triangles)
    if (std::ranges::all_of(triangle, [&](std::uint32_t i) { return mesh.vertices_m[i].allFinite(); }))
      found.triangles.push_back(triangle);
  if (found.triangles.size() <= most) return found;
  std::vector<bool> is_used(mesh.vertices_m.size(), false);
  for (const MeshTriangle& triangle : found.triangles)
    for (const std::uint32_t corner : triangle) is_used[corner] = true;
  std::vector<std::uint32_t> used;
  Vec3 low = Vec3::Constant(std::numeric_limits<double>::infinity()), high = -low;
  for (std::uint32_t i = 0; i < is_used.size(); ++i)
    if (is_used[i]) {
      used.push_back(i);
      low = low.cwiseMin(mesh.vertices_m[i]);
      high = high.cwiseMax(mesh.vertices_m[i]);
    }
  const std::vector<MeshTriangle> all = std::move(found.triangles);
  const double largest_m = (high - low).maxCoeff();
  if (!(largest_m > 0)) return {};  // all at one place
  // On a flat square mesh a cell gives two triangles: starts a little below that.
  for (double edge_m = largest_m / std::sqrt(static_cast<double>(std::max<std::size_t>(most, 1)));;
       edge_m *= kGrowth) {
    const std::vector<std::uint32_t> stands_for = representatives(mesh.vertices_m, used, low, edge_m);
    found.triangles = joined(all, stands_for);
    if (found.triangles.size() > most && edge_m <= largest_m) continue;
    if (found.triangles.size() > most) found.triangles.clear();  // `most` is less than any mesh has
    for (const std::uint32_t i : used)
      found.moved_m = std::max(found.moved_m, (mesh.vertices_m[i] - mesh.vertices_m[stands_for[i]]).norm());
    return found;
  }
}

}  // namespace aqbench
