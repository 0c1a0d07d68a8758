#include "scenes/triangles/faces.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>
#include <utility>

#include "core/error.h"

namespace aqbench {
namespace {

using Eigen::Vector3d;

constexpr std::size_t kMaxCorners = 10000;
// Of the face's size: farther corners are out of its plane. Files of single precision keep some 1e-7.
constexpr double kOutOfPlane = 1e-6;
constexpr double kLeastArea = 1e-9;  // of the square of its size: a smaller area is none

bool comes_before(const Vector3d& a, const Vector3d& b) {
  return std::lexicographical_compare(a.data(), a.data() + 3, b.data(), b.data() + 3);
}

// A diagonal between two corners. Diagonals are ordered by length, then by their ends.
struct Diagonal {
  double squared_m2 = 0;
  Vector3d low, high;

  Diagonal(const Vector3d& a, const Vector3d& b)
      : squared_m2((a - b).squaredNorm()),
        low(comes_before(a, b) ? a : b),
        high(comes_before(a, b) ? b : a) {}
  bool operator<(const Diagonal& other) const {
    if (squared_m2 != other.squared_m2) return squared_m2 < other.squared_m2;
    return low != other.low ? comes_before(low, other.low) : comes_before(high, other.high);
  }
};

// A face with its corners at different places in turn, seen along the axis nearest to the normal of its
// plane.
class PlaneFace {
 public:
  PlaneFace(std::span<const std::uint32_t> corners, std::span<const Vector3d> vertices) {
    for (const std::uint32_t corner : corners)
      if (ring_.empty() || vertices[corner] != at_.back()) {
        ring_.push_back(corner);
        at_.push_back(vertices[corner]);
      }
    while (ring_.size() > 1 && at_.front() == at_.back()) {
      ring_.pop_back();
      at_.pop_back();
    }
    measure();
  }

  std::size_t places() const { return ring_.size(); }  // of corners
  // Returns whether all corners lie on one line.
  bool is_line() const { return is_line_; }
  bool is_convex_and_plane() const;
  // Returns the triangles, those without area left out; nullopt for a face that crosses itself.
  std::optional<std::vector<Triangle>> cut() const;

 private:
  using Ring = std::vector<std::size_t>;  // numbers of corners that are left

  void measure();
  double doubled_area(const Vector3d& a, const Vector3d& b, const Vector3d& c) const {
    return turn_ * ((b[u_] - a[u_]) * (c[v_] - a[v_]) - (b[v_] - a[v_]) * (c[u_] - a[u_]));
  }
  // 1, 0 or -1: whether c lies left of the line from a to b.
  int side(const Vector3d& a, const Vector3d& b, const Vector3d& c) const {
    const double area = doubled_area(a, b, c);
    return area > least_area_ ? 1 : area < -least_area_ ? -1 : 0;
  }
  bool cross(const Vector3d& a, const Vector3d& b, const Vector3d& c, const Vector3d& d) const {
    return side(a, b, c) * side(a, b, d) < 0 && side(c, d, a) * side(c, d, b) < 0;
  }
  bool crosses_itself() const;
  bool is_ear(const Ring& ring, std::size_t i) const;
  // The ear to cut off next, by its place in the ring; nullopt if there is none.
  std::optional<std::size_t> next_ear(const Ring& ring) const;
  std::optional<std::size_t> corner_without_area(const Ring& ring) const;
  const Vector3d& before(const Ring& ring, std::size_t i) const {
    return at_[ring[(i + ring.size() - 1) % ring.size()]];
  }
  const Vector3d& after(const Ring& ring, std::size_t i) const { return at_[ring[(i + 1) % ring.size()]]; }

  std::vector<std::uint32_t> ring_;
  std::vector<Vector3d> at_;
  Vector3d doubled_normal_ = Vector3d::Zero();  // twice the vector area
  bool is_line_ = false;
  double size_ = 0, least_area_ = 0, turn_ = 1;
  int u_ = 0, v_ = 1;
};

void PlaneFace::measure() {
  const Vector3d origin = at_.front();
  Vector3d farthest = Vector3d::Zero();
  for (std::size_t i = 0; i < at_.size(); ++i) {
    const Vector3d from = at_[i] - origin;
    if (from.squaredNorm() > farthest.squaredNorm()) farthest = from;
    doubled_normal_ += from.cross(at_[(i + 1) % at_.size()] - origin);
  }
  size_ = farthest.norm();
  least_area_ = kLeastArea * size_ * size_;
  is_line_ = std::ranges::all_of(
      at_, [&](const Vector3d& corner) { return (corner - origin).cross(farthest).norm() <= least_area_; });
  int axis = 0;
  doubled_normal_.cwiseAbs().maxCoeff(&axis);
  u_ = (axis + 1) % 3;
  v_ = (axis + 2) % 3;
  turn_ = doubled_normal_[axis] < 0 ? -1 : 1;
}

bool PlaneFace::is_convex_and_plane() const {
  const std::size_t count = at_.size();
  const Vector3d normal = doubled_normal_.normalized();
  double turned = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const Vector3d &a = at_[i], &b = at_[(i + 1) % count], &c = at_[(i + 2) % count];
    if (std::abs((a - at_.front()).dot(normal)) > kOutOfPlane * size_ || side(a, b, c) <= 0) return false;
    turned += std::atan2((b - a).cross(c - b).norm(), (b - a).dot(c - b));
  }
  return turned < 3 * std::numbers::pi;  // once around, not twice as a pentagram
}

bool PlaneFace::crosses_itself() const {
  const std::size_t count = at_.size();
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t k = i + 2; k < count; ++k)
      if (cross(at_[i], at_[i + 1], at_[k], at_[(k + 1) % count])) return true;
  return false;
}

bool PlaneFace::is_ear(const Ring& ring, std::size_t i) const {
  const Vector3d &a = before(ring, i), &b = at_[ring[i]], &c = after(ring, i);
  if (side(a, b, c) <= 0) return false;
  for (std::size_t k = 0; k < ring.size(); ++k) {
    const Vector3d& p = at_[ring[k]];
    if (cross(a, c, p, after(ring, k))) return false;
    if (p == a || p == b || p == c) continue;
    // What lies on the two sides that stay is no hindrance.
    if (side(a, b, p) > 0 && side(b, c, p) > 0 && side(c, a, p) >= 0) return false;
  }
  return true;
}

std::optional<std::size_t> PlaneFace::next_ear(const Ring& ring) const {
  std::optional<Diagonal> tried;
  while (true) {
    std::optional<Diagonal> shortest;
    std::size_t at = 0;
    for (std::size_t i = 0; i < ring.size(); ++i) {
      const Diagonal diagonal(before(ring, i), after(ring, i));
      if ((tried && !(*tried < diagonal)) || (shortest && !(diagonal < *shortest))) continue;
      if (side(before(ring, i), at_[ring[i]], after(ring, i)) <= 0) continue;
      shortest = diagonal;
      at = i;
    }
    if (!shortest) return std::nullopt;
    if (is_ear(ring, at)) return at;
    // Another corner may have a diagonal between the same places.
    for (std::size_t i = at + 1; i < ring.size(); ++i) {
      const Diagonal diagonal(before(ring, i), after(ring, i));
      if (!(diagonal < *shortest) && !(*shortest < diagonal) && is_ear(ring, i)) return i;
    }
    tried = shortest;
  }
}

std::optional<std::size_t> PlaneFace::corner_without_area(const Ring& ring) const {
  for (std::size_t i = 0; i < ring.size(); ++i)
    if (side(before(ring, i), at_[ring[i]], after(ring, i)) == 0) return i;
  return std::nullopt;
}

std::optional<std::vector<Triangle>> PlaneFace::cut() const {
  if (!(doubled_normal_.norm() > least_area_) || crosses_itself()) return std::nullopt;
  std::vector<Triangle> triangles;
  Ring ring(ring_.size());
  for (std::size_t i = 0; i < ring.size(); ++i) ring[i] = i;
  while (ring.size() > 2) {
    auto at = next_ear(ring);
    if (at) {
      const std::size_t last = (*at + ring.size() - 1) % ring.size(), next = (*at + 1) % ring.size();
      triangles.push_back({ring_[ring[last]], ring_[ring[*at]], ring_[ring[next]]});
    } else {
      at = corner_without_area(ring);
      if (!at) return std::nullopt;
    }
    ring.erase(ring.begin() + static_cast<std::ptrdiff_t>(*at));
  }
  return triangles;
}

std::vector<std::uint32_t> corners_of(std::span<const Triangle> fan) {
  std::vector<std::uint32_t> corners = {fan.front()[0], fan.front()[1]};
  for (const Triangle& triangle : fan) corners.push_back(triangle[2]);
  return corners;
}

// The places of a fan's corners in an order of their own: equal for a face that starts elsewhere or is
// turned.
std::vector<std::array<double, 3>> places_of(std::span<const Triangle> fan,
                                             std::span<const Vector3d> vertices) {
  std::vector<std::array<double, 3>> places;
  for (const std::uint32_t corner : corners_of(fan)) {
    const Vector3d& at = vertices[corner];
    places.push_back({at.x() + 0.0, at.y() + 0.0, at.z() + 0.0});  // -0 becomes 0
  }
  std::ranges::sort(places);
  return places;
}

std::uint64_t hash_of(std::span<const std::array<double, 3>> places) {
  std::uint64_t hash = places.size();
  for (const auto& place : places)
    for (const double value : place)
      hash = (hash ^ std::bit_cast<std::uint64_t>(value)) * 0x9e3779b97f4a7c15U ^ hash >> 29U;
  return hash;
}

// Gives convex faces with the same corners the same triangles, wherever they start, so that a face that is
// there twice is found by its triangles.
void align_repeated_fans(std::span<const std::span<Triangle>> fans, std::span<const Vector3d> vertices) {
  std::vector<std::pair<std::uint64_t, std::size_t>> order;
  for (std::size_t i = 0; i < fans.size(); ++i) order.emplace_back(hash_of(places_of(fans[i], vertices)), i);
  std::ranges::sort(order);
  for (std::size_t i = 1; i < order.size(); ++i) {
    if (order[i].first != order[i - 1].first) continue;
    const std::span<Triangle> before = fans[order[i - 1].second], fan = fans[order[i].second];
    if (places_of(before, vertices) == places_of(fan, vertices)) std::ranges::copy(before, fan.begin());
  }
}

// The triangles of a face that stands as a fan; nullopt if the fan is right.
std::optional<std::vector<Triangle>> cut_fan(std::span<const Triangle> fan,
                                             std::span<const Vector3d> vertices, const std::string& name,
                                             std::size_t number) {
  const auto refuse = [&](const std::string& why) {
    throw input_error.of_file(name, "face {} (counted from 1) {}", number, why);
  };
  if (fan.size() + 2 > kMaxCorners) refuse(fmt::format("has more than {} corners", kMaxCorners));
  const std::vector<std::uint32_t> corners = corners_of(fan);
  // Such a vertex is refused, with its number, where the mesh is used.
  if (std::ranges::any_of(corners, [&](std::uint32_t corner) { return !vertices[corner].allFinite(); }))
    return std::nullopt;
  const PlaneFace face(corners, vertices);
  if (face.is_line()) return std::vector<Triangle>(1, {corners[0], corners[0], corners[0]});
  if (face.places() == corners.size() && face.is_convex_and_plane()) return std::nullopt;
  auto triangles = face.cut();
  if (!triangles) refuse("crosses itself");
  return triangles;
}

}  // namespace

void FaceList::add(std::span<const std::uint32_t> corners) {
  ++faces_;
  if (corners.size() > 3) polygons_.push_back({faces_, triangles_.size(), corners.size()});
  for (std::size_t i = 2; i < corners.size(); ++i)
    triangles_.push_back({corners.front(), corners[i - 1], corners[i]});
}

std::vector<Triangle> cut_faces(FaceList faces, std::span<const Eigen::Vector3d> vertices,
                                const std::string& name) {
  constexpr Triangle kGone = {std::numeric_limits<std::uint32_t>::max(), 0, 0};
  bool any_gone = false;
  std::vector<std::span<Triangle>> convex;
  for (const FaceList::Polygon& polygon : faces.polygons_) {
    const auto fan = std::span(faces.triangles_).subspan(polygon.first_triangle, polygon.corners - 2);
    const auto triangles = cut_fan(fan, vertices, name, polygon.face);
    if (!triangles) {
      const auto is_finite = [&](std::uint32_t corner) { return vertices[corner].allFinite(); };
      if (std::ranges::all_of(corners_of(fan), is_finite)) convex.push_back(fan);
      continue;
    }
    std::ranges::copy(*triangles, fan.begin());
    std::ranges::fill(fan.subspan(triangles->size()), kGone);
    any_gone = any_gone || triangles->size() < fan.size();
  }
  align_repeated_fans(convex, vertices);
  if (any_gone) std::erase(faces.triangles_, kGone);
  return std::move(faces.triangles_);
}

}  // namespace aqbench
