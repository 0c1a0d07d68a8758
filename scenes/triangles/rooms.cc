#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <vector>

#include "scenes/triangles/mesh_parts.h"

namespace aqbench {
namespace {

using Eigen::Vector3d;

// Sets of numbers.
class Sets {
 public:
  explicit Sets(std::size_t count) : above_(count) { std::iota(above_.begin(), above_.end(), 0U); }
  std::uint32_t first_of(std::uint32_t i) {
    while (above_[i] != i) i = above_[i] = above_[above_[i]];
    return i;
  }
  void join(std::uint32_t a, std::uint32_t b) {
    const std::uint32_t first_a = first_of(a), first_b = first_of(b);
    above_[std::max(first_a, first_b)] = std::min(first_a, first_b);
  }

 private:
  std::vector<std::uint32_t> above_;
};

// A face about an edge, by its angle.
struct Leaf {
  long long angle;  // in 1e-9
  std::uint32_t part;
  bool first_side_after;  // the side that its part's winding looks out of lies at larger angles
  bool looks_up;          // larger angles lie towards the larger coordinate
};

// Returns the faces about an edge in turn. Of faces at one place the one of the smaller part lies on the side
// of smaller coordinates, at each edge.
std::vector<Leaf> leaves_about(std::span<const Vector3d> vertices, std::span<const Triangle> faces,
                               std::span<const FaceEdge> at, const Parts& parts) {
  const Vector3d& low = vertices[at.front().ends >> 32U];
  const Vector3d along = (vertices[at.front().ends & 0xffffffff] - low).normalized();
  const auto across = [&](const FaceEdge& edge) {
    const Vector3d from = vertices[faces[edge.face][(edge.side + 2) % 3]] - low;
    return Vector3d((from - from.dot(along) * along).normalized());
  };
  std::vector<Leaf> leaves;
  Vector3d first = Vector3d::Zero();
  for (const FaceEdge& edge : at) {
    const std::uint32_t part = parts.part_of[edge.face];
    if (parts.parts[part].is_closed || parts.parts[part].has_end) continue;
    const Vector3d out = across(edge), after = along.cross(out);
    if (leaves.empty()) first = out;
    long long angle = std::llround(1e9 * std::atan2(along.cross(first).dot(out), first.dot(out)));
    if (angle < 0) angle += std::llround(2e9 * std::numbers::pi);
    Eigen::Index axis = 0;
    after.cwiseAbs().maxCoeff(&axis);
    leaves.push_back({angle, part, edge.upward != parts.against[edge.face], after[axis] > 0});
  }
  std::ranges::sort(leaves, [](const Leaf& a, const Leaf& b) {
    if (a.angle != b.angle) return a.angle < b.angle;
    return a.looks_up ? a.part < b.part : a.part > b.part;
  });
  return leaves;
}

}  // namespace

void close_rooms(std::span<const Vector3d> vertices, std::span<const Triangle> faces,
                 std::span<const FaceEdge> edges, Parts& parts) {
  const std::size_t count = parts.parts.size();
  Sets rooms(2 * count), bodies(count);  // of sides: 2 part, and 2 part + 1 for that against its winding
  bool any = false;
  for_each_edge(edges, [&](std::span<const FaceEdge> at) {
    if (at.size() < 3) return;
    const std::vector<Leaf> leaves = leaves_about(vertices, faces, at, parts);
    for (std::size_t i = 0; i < leaves.size(); ++i) {
      const Leaf &a = leaves[i], &b = leaves[(i + 1) % leaves.size()];
      rooms.join(2 * a.part + (a.first_side_after ? 0 : 1), 2 * b.part + (b.first_side_after ? 1 : 0));
      bodies.join(a.part, b.part);
      any = true;
    }
  });
  if (!any) return;
  // Of the rooms that the sides look into; what lies outside of all has a negative one.
  std::vector<double> volume(2 * count, 0), absolute(2 * count, 0);
  const Vector3d& origin = vertices[faces.front()[0]];
  for (std::uint32_t i = 0; i < count; ++i) {
    const Part& part = parts.parts[i];
    const double own =
        part.sixfold_volume + (vertices[faces[part.first_face][0]] - origin).dot(part.doubled_area);
    volume[rooms.first_of(2 * i)] -= own;
    volume[rooms.first_of(2 * i + 1)] += own;
    for (const std::uint32_t side : {2 * i, 2 * i + 1}) absolute[rooms.first_of(side)] += std::abs(own);
  }
  for (std::uint32_t i = 0; i < count; ++i) {
    Part& part = parts.parts[i];
    const std::uint32_t before = rooms.first_of(2 * i), behind = rooms.first_of(2 * i + 1);
    if (part.is_closed || part.has_end || before == behind) continue;
    constexpr double kRounding = 1e-12;
    const bool is_before = volume[before] > -kRounding * absolute[before],
               is_behind = volume[behind] > -kRounding * absolute[behind];
    part.is_closed = is_before || is_behind;
    part.is_wall = is_before && is_behind;
    part.is_turned = is_before;
    part.body = bodies.first_of(i);
  }
}

}  // namespace aqbench
