#include "scenes/triangles/joined_faces.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

namespace aqbench {
std::vector<std::uint32_t> first_at_place(std::span<const Eigen::Vector3d> vertices) {
  std::vector<Eigen::Vector3d> places(vertices.begin(), vertices.end());
  for (Eigen::Vector3d& place : places) place.array() += 0.0;  // -0 becomes 0
  const auto compare = [&](std::uint32_t a, std::uint32_t b) {
    return std::memcmp(places[a].data(), places[b].data(), sizeof(Eigen::Vector3d));
  };
  std::vector<std::uint32_t> order(vertices.size()), first(vertices.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::sort(order, [&](std::uint32_t a, std::uint32_t b) {
    const int sign = compare(a, b);
    return sign != 0 ? sign < 0 : a < b;
  });
  for (std::size_t i = 0; i < order.size(); ++i)
    first[order[i]] = i > 0 && compare(order[i - 1], order[i]) == 0 ? first[order[i - 1]] : order[i];
  return first;
}

JoinedFaces join_faces(std::span<const Eigen::Vector3d> vertices, std::span<const Triangle> triangles) {
  const std::vector<std::uint32_t> first = first_at_place(vertices);
  JoinedFaces joined;
  joined.counts.faces = triangles.size();
  std::vector<std::pair<Triangle, std::uint32_t>> sorted;  // corners in order, and the number below
  for (const auto& [a, b, c] : triangles) {
    const Eigen::Vector3d& corner = vertices[a];
    if (!((vertices[b] - corner).cross(vertices[c] - corner).norm() > 0)) {
      ++joined.counts.without_area;
      continue;
    }
    Triangle key = {first[a], first[b], first[c]};
    joined.triangles.push_back(key);
    std::ranges::sort(key);
    sorted.emplace_back(key, static_cast<std::uint32_t>(sorted.size()));
  }
  std::ranges::sort(sorted);
  std::vector<bool> is_repeated(sorted.size());
  for (std::size_t i = 1; i < sorted.size(); ++i)
    if (sorted[i].first == sorted[i - 1].first) is_repeated[sorted[i].second] = true;
  joined.counts.repeated = static_cast<std::size_t>(std::ranges::count(is_repeated, true));
  std::size_t i = 0;
  if (joined.counts.repeated > 0)
    std::erase_if(joined.triangles, [&](const Triangle&) { return is_repeated[i++]; });
  return joined;
}

std::vector<FaceEdge> edges_by_ends(std::span<const Triangle> faces) {
  std::vector<FaceEdge> edges;
  edges.reserve(3 * faces.size());
  for (std::uint32_t face = 0; face < faces.size(); ++face)
    for (std::uint32_t side = 0; side < 3; ++side) {
      const std::uint32_t from = faces[face][side], to = faces[face][(side + 1) % 3];
      const auto [low, high] = std::minmax(from, to);
      edges.push_back({std::uint64_t{low} << 32 | high, face, side, from < to});
    }
  std::ranges::sort(edges, {}, [](const FaceEdge& edge) { return std::pair(edge.ends, edge.face); });
  return edges;
}

}  // namespace aqbench
