#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "scenes/triangles/joined_faces.h"
#include "scenes/triangles/mesh_parts.h"

namespace aqbench {
namespace {

using Eigen::Vector3d;

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
    parts.parts.back().body = number;
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
      if (end - begin == 2 && runs[begin].second != runs[begin + 1].second) continue;
      Part& part = parts.parts[runs[begin].first];
      part.is_closed = false;
      part.has_end = part.has_end || at.size() < 3;
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

}  // namespace

std::vector<FaceStand> find_stands(std::span<const Vector3d> vertices, std::span<const Triangle> faces,
                                   std::span<const Vector3d> cameras) {
  const std::vector<FaceEdge> edges = edges_by_ends(faces);
  Parts parts = collect_parts(edges, faces.size());
  find_open(edges, parts);
  measure_parts(vertices, faces, parts);
  watch_open_parts(vertices, faces, cameras, parts);
  for (Part& part : parts.parts) turn_part(cameras.size(), part);
  close_rooms(vertices, faces, edges, parts);
  find_cavities(vertices, faces, parts);
  std::vector<FaceStand> stands(faces.size());
  for (std::size_t i = 0; i < faces.size(); ++i) {
    const Part& part = parts.parts[parts.part_of[i]];
    stands[i] = {.is_closed = part.is_closed,
                 .is_turned = part.is_turned != parts.against[i],
                 .is_wall = part.is_wall,
                 .is_cavity = part.is_cavity,
                 .is_entangled = part.is_entangled,
                 .part = part.body};
  }
  return stands;
}

}  // namespace aqbench
