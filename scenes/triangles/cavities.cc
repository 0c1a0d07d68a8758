#include <Eigen/Geometry>
#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "scenes/triangles/mesh_parts.h"

namespace aqbench {
namespace {

using Eigen::AlignedBox3d;
using Eigen::Vector3d;

// A closed body, seen along a direction that no mesh is built along.
struct Body {
  std::uint32_t number = 0;          // its first part
  std::vector<std::uint32_t> faces;  // without walls
  std::vector<std::uint32_t> corners;
  AlignedBox3d box;
  std::size_t around = 0;  // bodies in which it lies whole
  bool meets = false;      // lies partly in another one, or another one in it
};

// Returns whether a ray along z that starts at `from` meets the triangle.
bool meets(const Vector3d& from, const Vector3d& a, const Vector3d& b, const Vector3d& c) {
  const auto side = [&](const Vector3d& p, const Vector3d& q) {
    return (q.x() - p.x()) * (from.y() - p.y()) - (q.y() - p.y()) * (from.x() - p.x());
  };
  const double ab = side(a, b), bc = side(b, c), ca = side(c, a);
  if ((ab > 0) != (bc > 0) || (bc > 0) != (ca > 0)) return false;
  return (bc * a.z() + ca * b.z() + ab * c.z()) / (ab + bc + ca) > from.z();
}

class Bodies {
 public:
  Bodies(std::span<const Vector3d> vertices, std::span<const Triangle> faces, const Parts& parts)
      : faces_(faces) {
    const Vector3d along = Vector3d(0.5377671, 0.3188765, 0.7804523).normalized();
    const Vector3d across = along.unitOrthogonal(), other = along.cross(across);
    seen_.reserve(vertices.size());
    for (const Vector3d& vertex : vertices) {
      const Vector3d from = vertex - vertices[faces.front()[0]];
      seen_.emplace_back(from.dot(across), from.dot(other), from.dot(along));
    }
    std::vector<std::uint32_t> body_of(parts.parts.size(), ~0U);
    for (std::uint32_t i = 0; i < faces.size(); ++i) {
      const Part& part = parts.parts[parts.part_of[i]];
      if (!part.is_closed || part.is_wall) continue;
      if (body_of[part.body] == ~0U) {
        body_of[part.body] = static_cast<std::uint32_t>(bodies.size());
        bodies.emplace_back().number = part.body;
      }
      Body& body = bodies[body_of[part.body]];
      body.faces.push_back(i);
      body.corners.insert(body.corners.end(), faces[i].begin(), faces[i].end());
    }
    for (Body& body : bodies) {
      std::ranges::sort(body.corners);
      body.corners.erase(std::unique(body.corners.begin(), body.corners.end()), body.corners.end());
      for (const std::uint32_t corner : body.corners) body.box.extend(seen_[corner]);
    }
  }

  // Returns how many corners of a body lie in another one.
  std::size_t corners_inside(const Body& body, const Body& other) const {
    std::vector<std::pair<Vector3d, bool>> rays;  // and whether it meets an odd number of faces
    for (const std::uint32_t corner : body.corners)
      if (other.box.contains(seen_[corner])) rays.emplace_back(seen_[corner], false);
    const auto x_of = [](const auto& ray) { return ray.first.x(); };
    std::ranges::sort(rays, {}, x_of);
    for (const std::uint32_t face : other.faces) {
      const Vector3d &a = seen_[faces_[face][0]], &b = seen_[faces_[face][1]], &c = seen_[faces_[face][2]];
      const auto [low, high] = std::minmax({a.x(), b.x(), c.x()});
      for (auto ray = std::ranges::lower_bound(rays, low, {}, x_of);
           ray != rays.end() && ray->first.x() <= high; ++ray)
        if (meets(ray->first, a, b, c)) ray->second = !ray->second;
    }
    return static_cast<std::size_t>(std::ranges::count_if(rays, [](const auto& ray) { return ray.second; }));
  }

  std::vector<Body> bodies;

 private:
  std::span<const Triangle> faces_;
  std::vector<Vector3d> seen_;
};

// Calls use(i, j) for each two bodies whose boxes have a common point.
template <class Use>
void each_close_pair(const std::vector<Body>& bodies, const Use& use) {
  std::vector<std::uint32_t> order;
  for (std::uint32_t i = 0; i < bodies.size(); ++i) order.push_back(i);
  std::ranges::sort(order, {}, [&](std::uint32_t i) { return std::pair(bodies[i].box.min().x(), i); });
  for (std::size_t a = 0; a < order.size(); ++a)
    for (std::size_t b = a + 1;
         b < order.size() && bodies[order[b]].box.min().x() <= bodies[order[a]].box.max().x(); ++b)
      if (bodies[order[a]].box.intersects(bodies[order[b]].box)) use(order[a], order[b]);
}

}  // namespace

void find_cavities(std::span<const Vector3d> vertices, std::span<const Triangle> faces, Parts& parts) {
  if (std::ranges::count(parts.parts, true, &Part::is_closed) < 2) return;
  Bodies all(vertices, faces, parts);
  std::vector<Body>& bodies = all.bodies;
  std::vector<char> may_be_cavity(bodies.size(), 0);
  each_close_pair(bodies, [&](std::uint32_t i, std::uint32_t j) {
    if (bodies[j].box.contains(bodies[i].box)) may_be_cavity[i] = 1;
    if (bodies[i].box.contains(bodies[j].box)) may_be_cavity[j] = 1;
  });
  std::vector<char> is_entangled(bodies.size(), 0);
  each_close_pair(bodies, [&](std::uint32_t i, std::uint32_t j) {
    bool nested = false;
    if (may_be_cavity[i] != 0 || may_be_cavity[j] != 0) {
      const std::size_t in_j = all.corners_inside(bodies[i], bodies[j]),
                        in_i = all.corners_inside(bodies[j], bodies[i]);
      const bool i_in_j = in_j == bodies[i].corners.size() && in_i == 0,
                 j_in_i = in_i == bodies[j].corners.size() && in_j == 0;
      bodies[i].around += i_in_j ? 1 : 0;
      bodies[j].around += j_in_i ? 1 : 0;
      nested = i_in_j || j_in_i;
      if (!nested && in_i + in_j > 0) bodies[i].meets = bodies[j].meets = true;
    }
    if (!nested) is_entangled[i] = is_entangled[j] = 1;
  });
  std::vector<std::uint32_t> body_of(parts.parts.size(), ~0U);
  for (std::uint32_t i = 0; i < bodies.size(); ++i) body_of[bodies[i].number] = i;
  for (Part& part : parts.parts) {
    if (!part.is_closed || body_of[part.body] == ~0U) continue;
    const std::uint32_t i = body_of[part.body];
    part.is_entangled = is_entangled[i] != 0;
    part.is_cavity = bodies[i].around % 2 == 1 && !bodies[i].meets;
    part.is_turned = part.is_turned != part.is_cavity;
  }
}

}  // namespace aqbench
