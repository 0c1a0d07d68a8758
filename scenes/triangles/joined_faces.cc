#include "scenes/triangles/joined_faces.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <numbers>
#include <numeric>
#include <utility>

namespace aqbench {
namespace {

using Eigen::Vector3d;

// Faces that hang together.
struct Part {
  bool is_closed = true;
  bool is_turned = false;                    // its first face looks against its winding
  Vector3d doubled_area = Vector3d::Zero();  // vector area, by the winding of its first face
  double sixfold_volume = 0;                 // the same, about its first corner
  double absolute = 0;                       // of the parts of sixfold_volume
  double doubled_size = 0;                   // area
  Vector3d corners = Vector3d::Zero();       // sum over the faces, from its first corner
  double faces = 0;
  double away = 0;  // solid angle of what looks away from a camera, less that of what looks at it; sum
  std::uint32_t first_face = 0;
};

// The parts of a mesh, and how the faces of each follow each other.
struct Parts {
  std::vector<Part> parts;
  std::vector<std::uint32_t> part_of;  // of faces
  std::vector<bool> against;           // of faces: wound against the first face of the part
};

// A face's neighbours across its sides, itself where there is none or more than one, and whether they are
// wound against it.
struct Beyond {
  std::array<std::uint32_t, 3> face;
  std::array<bool, 3> against{};
};

std::vector<Beyond> neighbours_of(std::span<const FaceEdge> edges, std::size_t faces) {
  std::vector<Beyond> beyond(faces);
  for (std::uint32_t face = 0; face < faces; ++face) beyond[face].face.fill(face);
  for_each_edge(edges, [&](std::span<const FaceEdge> at) {
    if (at.size() != 2) return;
    for (std::size_t i = 0; i < 2; ++i) {
      beyond[at[i].face].face[at[i].side] = at[1 - i].face;
      beyond[at[i].face].against[at[i].side] = at[0].upward == at[1].upward;
    }
  });
  return beyond;
}

Parts collect_parts(std::span<const FaceEdge> edges, std::size_t faces) {
  constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
  const std::vector<Beyond> beyond = neighbours_of(edges, faces);
  Parts parts;
  parts.part_of.assign(faces, kNone);
  parts.against.resize(faces);
  std::vector<std::uint32_t> waiting;
  for (std::uint32_t first = 0; first < faces; ++first) {
    if (parts.part_of[first] != kNone) continue;
    const auto number = static_cast<std::uint32_t>(parts.parts.size());
    parts.parts.emplace_back().first_face = first;
    parts.part_of[first] = number;
    waiting.assign(1, first);
    while (!waiting.empty()) {
      const std::uint32_t face = waiting.back();
      waiting.pop_back();
      for (std::size_t side = 0; side < 3; ++side) {
        const std::uint32_t next = beyond[face].face[side];
        if (parts.part_of[next] != kNone) continue;
        parts.part_of[next] = number;
        parts.against[next] = parts.against[face] != beyond[face].against[side];
        waiting.push_back(next);
      }
    }
  }
  return parts;
}

// Opens the parts that have a border, or one side alone.
void find_open(std::span<const FaceEdge> edges, Parts& parts) {
  std::vector<std::pair<std::uint32_t, bool>> runs;  // part, and whether it runs upward
  for_each_edge(edges, [&](std::span<const FaceEdge> at) {
    runs.clear();
    for (const FaceEdge& edge : at)
      runs.emplace_back(parts.part_of[edge.face], edge.upward != parts.against[edge.face]);
    std::ranges::sort(runs);
    for (std::size_t begin = 0, end = 0; begin < runs.size(); begin = end) {
      for (end = begin; end < runs.size() && runs[end].first == runs[begin].first;) ++end;
      if (end - begin != 2 || runs[begin].second == runs[begin + 1].second)
        parts.parts[runs[begin].first].is_closed = false;
    }
  });
}

// Of a triangle, positive if its winding looks away (van Oosterom and Strackee, TBME 1983).
double solid_angle(const Vector3d& a, const Vector3d& b, const Vector3d& c) {
  const double la = a.norm(), lb = b.norm(), lc = c.norm();
  return 2 * std::atan2(a.dot(b.cross(c)), la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb);
}

void measure_parts(std::span<const Vector3d> vertices, std::span<const Triangle> faces, Parts& parts) {
  for (std::size_t i = 0; i < faces.size(); ++i) {
    Part& part = parts.parts[parts.part_of[i]];
    const Vector3d& origin = vertices[faces[part.first_face][0]];
    const double sign = parts.against[i] ? -1 : 1;
    const Vector3d a = vertices[faces[i][0]] - origin, b = vertices[faces[i][1]] - origin,
                   c = vertices[faces[i][2]] - origin;
    part.doubled_area += sign * (b - a).cross(c - a);
    const double volume = sign * a.dot(b.cross(c));
    part.sixfold_volume += volume;
    part.absolute += std::abs(volume);
    part.doubled_size += (b - a).cross(c - a).norm();
    part.corners += a + b + c;
    ++part.faces;
  }
  constexpr double kRounding = 1e-12;
  for (Part& part : parts.parts)
    part.is_closed = part.is_closed && std::abs(part.sixfold_volume) > kRounding * part.absolute;
}

// How far open parts look away from the cameras; closed ones have a volume, and may have many faces.
void watch_open_parts(std::span<const Vector3d> vertices, std::span<const Triangle> faces,
                      std::span<const Vector3d> cameras, Parts& parts) {
  for (std::size_t i = 0; i < faces.size(); ++i) {
    Part& part = parts.parts[parts.part_of[i]];
    if (part.is_closed) continue;
    for (const Vector3d& camera : cameras)
      part.away += (parts.against[i] ? -1 : 1) * solid_angle(vertices[faces[i][0]] - camera,
                                                             vertices[faces[i][1]] - camera,
                                                             vertices[faces[i][2]] - camera);
  }
}

// An open part that cameras look at. About the mean of its corners the volume says what is outside.
bool is_turned_from(std::size_t cameras, const Part& part) {
  const double volume = part.sixfold_volume - part.doubled_area.dot(part.corners) / (3 * part.faces);
  const bool is_round = part.doubled_area.norm() < 0.5 * part.doubled_size;
  const bool holds_cameras = std::abs(part.away) > 2 * std::numbers::pi * static_cast<double>(cameras);
  return is_round && !holds_cameras ? volume < 0 : part.away > 0;
}

void turn_part(std::size_t cameras, Part& part) {
  if (part.is_closed) {
    part.is_turned = part.sixfold_volume < 0;
    return;
  }
  if (cameras > 0) {
    part.is_turned = is_turned_from(cameras, part);
    return;
  }
  const double least = 1e-12 * part.doubled_area.norm();
  for (int axis = 2; axis >= 0; --axis) {
    if (!(std::abs(part.doubled_area[axis]) > least)) continue;
    part.is_turned = part.doubled_area[axis] > 0;
    return;
  }
}

// A ray in a direction that no mesh is built along, from the last or the first point of a closed part in that
// direction: a part that only touches or overlaps another one has not both inside it.
struct PartRay {
  Vector3d at;  // two coordinates across the ray, and the one along it
  std::uint32_t part;
  bool is_inside = false;
};

std::vector<PartRay> rays_from_parts(std::span<const Vector3d> seen, std::span<const Triangle> faces,
                                     const Parts& parts) {
  std::vector<PartRay> rays;
  std::vector<std::uint32_t> ray_of(parts.parts.size());
  for (std::uint32_t part = 0; part < parts.parts.size(); ++part) {
    if (!parts.parts[part].is_closed) continue;
    ray_of[part] = static_cast<std::uint32_t>(rays.size());
    const Vector3d& start = seen[faces[parts.parts[part].first_face][0]];
    rays.insert(rays.end(), 2, {start, part});
  }
  for (std::size_t i = 0; i < faces.size(); ++i) {
    if (!parts.parts[parts.part_of[i]].is_closed) continue;
    PartRay* const ray = &rays[ray_of[parts.part_of[i]]];
    for (const std::uint32_t corner : faces[i]) {
      if (seen[corner].z() > ray[0].at.z()) ray[0].at = seen[corner];
      if (seen[corner].z() < ray[1].at.z()) ray[1].at = seen[corner];
    }
  }
  return rays;
}

// Returns whether a ray along z that starts at `from` meets the triangle.
bool meets(const Vector3d& from, const Vector3d& a, const Vector3d& b, const Vector3d& c) {
  const auto side = [&](const Vector3d& p, const Vector3d& q) {
    return (q.x() - p.x()) * (from.y() - p.y()) - (q.y() - p.y()) * (from.x() - p.x());
  };
  const double ab = side(a, b), bc = side(b, c), ca = side(c, a);
  if ((ab > 0) != (bc > 0) || (bc > 0) != (ca > 0)) return false;
  return (bc * a.z() + ca * b.z() + ab * c.z()) / (ab + bc + ca) > from.z();
}

// Turns the closed parts that lie in an odd number of others.
void turn_cavities(std::span<const Vector3d> vertices, std::span<const Triangle> faces, Parts& parts) {
  if (std::ranges::count(parts.parts, true, &Part::is_closed) < 2) return;
  const Vector3d along = Vector3d(0.5377671, 0.3188765, 0.7804523).normalized();
  const Vector3d across = along.unitOrthogonal(), other = along.cross(across);
  std::vector<Vector3d> seen;
  seen.reserve(vertices.size());
  for (const Vector3d& vertex : vertices) {
    const Vector3d from = vertex - vertices[faces.front()[0]];
    seen.emplace_back(from.dot(across), from.dot(other), from.dot(along));
  }
  std::vector<PartRay> rays = rays_from_parts(seen, faces, parts);
  std::ranges::sort(rays, {}, [](const PartRay& ray) { return std::pair(ray.at.x(), ray.part); });
  for (std::size_t i = 0; i < faces.size(); ++i) {
    if (!parts.parts[parts.part_of[i]].is_closed) continue;
    const Vector3d &a = seen[faces[i][0]], &b = seen[faces[i][1]], &c = seen[faces[i][2]];
    const auto [low, high] = std::minmax({a.x(), b.x(), c.x()});
    auto ray = std::ranges::lower_bound(rays, low, {}, [](const PartRay& one) { return one.at.x(); });
    for (; ray != rays.end() && ray->at.x() <= high; ++ray)
      if (ray->part != parts.part_of[i] && meets(ray->at, a, b, c)) ray->is_inside = !ray->is_inside;
  }
  std::vector<int> inside(parts.parts.size(), 0);
  for (const PartRay& ray : rays)
    if (ray.is_inside && ++inside[ray.part] == 2)
      parts.parts[ray.part].is_turned = !parts.parts[ray.part].is_turned;
}

}  // namespace

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

std::vector<FaceStand> find_stands(std::span<const Vector3d> vertices, std::span<const Triangle> faces,
                                   std::span<const Vector3d> cameras) {
  const std::vector<FaceEdge> edges = edges_by_ends(faces);
  Parts parts = collect_parts(edges, faces.size());
  find_open(edges, parts);
  measure_parts(vertices, faces, parts);
  watch_open_parts(vertices, faces, cameras, parts);
  for (Part& part : parts.parts) turn_part(cameras.size(), part);
  turn_cavities(vertices, faces, parts);
  std::vector<FaceStand> stands(faces.size());
  for (std::size_t i = 0; i < faces.size(); ++i) {
    const Part& part = parts.parts[parts.part_of[i]];
    stands[i] = {part.is_closed, part.is_turned != parts.against[i]};
  }
  return stands;
}

}  // namespace aqbench
