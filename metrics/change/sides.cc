#include "metrics/change/sides.h"

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <tuple>
#include <utility>
#include <vector>

#include "core/parallel.h"
#include "core/quantiles.h"
#include "metrics/change/point_cells.h"
#include "metrics/neighbours/nearest_neighbour.h"

namespace aqbench {
namespace {

constexpr std::size_t kNear = 11;  // neighbours of a point in the graph
constexpr std::size_t kScales[] = {8, 16, 32, 64, 128};
constexpr double kFollow = 0.9;      // cost of a link beyond which two points are no neighbours on a surface
constexpr double kPlane = 0.05;      // smallest by second variance of points that lie in a plane
constexpr double kRound = 0.5;       // length of the mean normal of a surface that nearly closes
constexpr double kLevel = 0.1;       // share of the mean normal towards `up` of one that decides
constexpr double kMaxParts = 100;    // a smaller share of a cloud hides nothing
constexpr std::size_t kLooks = 200;  // points of a part that look whether others hide them
constexpr double kAgreeing = 0.9;    // of neighbours with normals of a file that can be used

// The points with their neighbours, and the normals before it is known which way they look.
struct Graph {
  std::vector<std::array<std::uint32_t, kNear>> near;  // the point itself where there are fewer
  std::vector<Vec3> normals;
  std::vector<double> radius_m;  // to the farthest of the nearest 8
};

// Returns the direction in which the points spread least, and how little: variance over the second one.
std::pair<Vec3, double> plane_of(std::span<const Vec3> points_m,
                                 std::span<const NearestNeighbourIndex::Neighbour> nearest) {
  const Vec3& origin = points_m[nearest.front().index];
  Vec3 sum = Vec3::Zero();
  Eigen::Matrix3d squares = Eigen::Matrix3d::Zero();
  for (const auto& one : nearest) {
    const Vec3 from = points_m[one.index] - origin;
    sum += from;
    squares += from * from.transpose();
  }
  const double count = static_cast<double>(nearest.size());
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> axes(squares / count -
                                                            sum * sum.transpose() / (count * count));
  const Vec3 spread = axes.eigenvalues();
  if (!(spread[1] > 1e-12 * spread[2])) return {Vec3::Zero(), 1};  // on a line
  return {axes.eigenvectors().col(0), std::max(0.0, spread[0]) * count / (count - 3) / spread[1]};
}

// `least_m`: the nearest points that make a plane reach as far, beyond the steps of coordinates.
Graph graph_of(std::span<const Vec3> points_m, double least_m) {
  const NearestNeighbourIndex index(points_m, true);
  Graph graph;
  graph.near.resize(points_m.size());
  graph.normals.assign(points_m.size(), Vec3::Zero());
  graph.radius_m.assign(points_m.size(), 0);
  parallel_for(points_m.size(), 1024, [&](std::size_t begin, std::size_t end) {
    std::vector<NearestNeighbourIndex::Neighbour> nearest;
    for (std::size_t i = begin; i < end; ++i) {
      graph.near[i].fill(static_cast<std::uint32_t>(i));
      double least = 2;
      std::size_t wanted = kNear + 1;
      for (const std::size_t scale : kScales) {
        if (nearest.size() < scale || scale == kScales[0]) {
          wanted = std::max(wanted, scale > kNear + 1 ? kScales[4] : wanted);
          index.k_nearest(points_m[i], wanted, nearest);
        }
        if (scale == kScales[0]) {
          for (std::size_t k = 1; k < std::min(nearest.size(), kNear + 1); ++k)
            graph.near[i][k - 1] = nearest[k].index;
          graph.radius_m[i] = std::sqrt(nearest[std::min(nearest.size(), scale) - 1].squared_m2);
        }
        if (nearest.size() < scale) break;
        if (nearest[scale - 1].squared_m2 < least_m * least_m) continue;
        const auto [normal, flatness] = plane_of(points_m, std::span(nearest).first(scale));
        if (flatness < least) {
          least = flatness;
          graph.normals[i] = normal;
        }
        if (flatness <= kPlane) break;
      }
    }
  });
  return graph;
}

// Two neighbours: how badly they follow each other, and whether the normal of one is turned against that of
// the other.
struct Link {
  float cost;
  std::uint32_t a, b;
  bool turned;
};

Link link_of(const Graph& graph, std::span<const Vec3> points_m, std::uint32_t a, std::uint32_t b) {
  const Vec3 &at_a = graph.normals[a], &at_b = graph.normals[b];
  const Vec3 along = (points_m[b] - points_m[a]).normalized();
  const double out_a = along.dot(at_a), out_b = along.dot(at_b);
  // The normal of a, mirrored as a curve from a to b would carry it.
  const double carried = (at_a - 2 * out_a * along).dot(at_b);
  return {static_cast<float>(1 - std::abs(carried) + (out_a * out_a + out_b * out_b) / 2), a, b, carried < 0};
}

std::vector<Link> links_of(const Graph& graph, std::span<const Vec3> points_m) {
  std::vector<Link> links;
  links.reserve(points_m.size() * 8);
  for (std::uint32_t a = 0; a < points_m.size(); ++a)
    for (const std::uint32_t b : graph.near[a]) {
      if (b == a || (b < a && std::ranges::find(graph.near[b], a) != graph.near[b].end())) continue;
      if (graph.normals[a].isZero() || graph.normals[b].isZero()) continue;
      // Across a step normals would turn over as if around a thin rim.
      if (const Link link = link_of(graph, points_m, a, b); link.cost < kFollow) links.push_back(link);
    }
  return links;
}

// Sets of points, and whether each point is turned against the first one of its set.
class Parts {
 public:
  explicit Parts(std::size_t points) : above_(points), turned_(points, false) {
    std::iota(above_.begin(), above_.end(), 0U);
  }
  std::pair<std::uint32_t, bool> first_of(std::uint32_t point) {
    std::uint32_t first = point;
    bool turned = false;
    for (; above_[first] != first; first = above_[first]) turned = turned != turned_[first];
    const bool result = turned;
    while (above_[point] != point) {  // shortens the path
      const std::uint32_t next = above_[point];
      const bool own = turned_[point];
      above_[point] = first;
      turned_[point] = turned;
      turned = turned != own;
      point = next;
    }
    return {first, result};
  }
  void join(const Link& link) {
    const auto [a, a_turned] = first_of(link.a);
    const auto [b, b_turned] = first_of(link.b);
    if (a == b) return;
    const auto [low, high] = std::minmax(a, b);
    above_[high] = low;
    turned_[high] = link.turned != (a_turned != b_turned);
  }

 private:
  std::vector<std::uint32_t> above_;
  std::vector<bool> turned_;
};

// A connected piece of the surface.
struct Part {
  double weight = 0, outward = 0;  // outward: sum of the normals' way from the centre
  Vec3 normal = Vec3::Zero(), centre = Vec3::Zero();
  std::vector<std::uint32_t> points;
  bool is_open = false, is_level = false;
};

struct Surface {
  Graph graph;
  std::vector<std::uint32_t> part_of;
  std::vector<Part> parts;
  bool is_given = false;  // its normals stay, except that open parts look up

  void turn(std::uint32_t part) {
    parts[part].normal *= -1;
    for (const std::uint32_t point : parts[part].points) graph.normals[point] *= -1;
  }
};

// Joins the points along the smoothest paths, so that the normals of each part follow each other.
void join_parts(std::span<const Vec3> points_m, Surface& surface) {
  Graph& graph = surface.graph;
  std::vector<Link> links = links_of(graph, points_m);
  std::ranges::sort(links, {}, [](const Link& link) { return std::tuple(link.cost, link.a, link.b); });
  Parts joined(points_m.size());
  for (const Link& link : links)
    if (!surface.is_given || !link.turned) joined.join(link);
  std::vector<std::uint32_t> number(points_m.size(), ~0U);
  for (std::uint32_t i = 0; i < points_m.size(); ++i) {
    const auto [first, turned] = joined.first_of(i);
    if (number[first] == ~0U) {
      number[first] = static_cast<std::uint32_t>(surface.parts.size());
      surface.parts.emplace_back();
    }
    if (turned) graph.normals[i] *= -1;
    surface.part_of.push_back(number[first]);
    Part& part = surface.parts[number[first]];
    const double area = graph.radius_m[i] * graph.radius_m[i];
    part.points.push_back(i);
    part.weight += area;
    part.normal += area * graph.normals[i];
    part.centre += area * (points_m[i] - points_m[part.points[0]]);
  }
  for (Part& part : surface.parts) {
    if (part.weight > 0) part.centre = points_m[part.points[0]] + part.centre / part.weight;
    for (const std::uint32_t i : part.points)
      part.outward += graph.radius_m[i] * graph.radius_m[i] * graph.normals[i].dot(points_m[i] - part.centre);
  }
}

// Turns each part by itself: round ones outwards, others up; which way level ones look is still open.
void turn_parts(const Vec3& up, Surface& surface) {
  for (std::uint32_t i = 0; i < surface.parts.size(); ++i) {
    Part& part = surface.parts[i];
    part.is_open = part.normal.norm() >= kRound * part.weight;
    if (!part.is_open) {
      if (!surface.is_given && part.outward < 0) surface.turn(i);
      continue;
    }
    part.is_level = std::abs(part.normal.dot(up)) < kLevel * part.normal.norm();
    if (part.is_level && surface.is_given) continue;
    Eigen::Index axis = 0;
    part.normal.cwiseAbs().maxCoeff(&axis);
    if (part.is_level ? part.normal[axis] < 0 : part.normal.dot(up) < 0) surface.turn(i);
  }
}

// Returns whether an odd number of other large parts hides a point: open ones that lie before it, round ones
// that lie before and behind it.
bool is_hidden(std::span<const Vec3> points_m, const Surface& surface, const PointCells& cells,
               double radius_m, double depth_m, std::uint32_t point) {
  std::vector<std::pair<std::uint32_t, bool>> met;  // part, whether before the point
  cells.each_in_cylinder({points_m[point], surface.graph.normals[point], radius_m, -depth_m, depth_m},
                         [&](std::uint32_t other, double place_m) {
                           const std::uint32_t part = surface.part_of[other];
                           if (part == surface.part_of[point] || std::abs(place_m) < radius_m) return;
                           if (kMaxParts * static_cast<double>(surface.parts[part].points.size()) <
                               static_cast<double>(points_m.size()))
                             return;
                           if (std::ranges::find(met, std::pair(part, place_m > 0)) == met.end())
                             met.emplace_back(part, place_m > 0);
                         });
  return std::ranges::count_if(met,
                               [&](const auto& one) {
                                 return one.second &&
                                        (surface.parts[one.first].is_open ||
                                         std::ranges::find(met, std::pair(one.first, false)) != met.end());
                               }) %
             2 !=
         0;
}

// Turns the parts that lie behind an odd number of others, seen from where they look to.
void turn_hidden(std::span<const Vec3> points_m, Surface& surface) {
  if (surface.is_given || surface.parts.size() < 2) return;
  Eigen::AlignedBox3d box;
  for (const Vec3& point : points_m) box.extend(point);
  std::vector<double> radii = surface.graph.radius_m;
  const double radius_m = 1.5 * upper_median_in_place(std::span(radii)), depth_m = box.diagonal().norm();
  const PointCells cells(points_m, radius_m);
  std::vector<char> turns(surface.parts.size(), 0);
  parallel_for(turns.size(), 1, [&](std::size_t k, std::size_t) {
    const Part& part = surface.parts[k];
    if (kMaxParts * static_cast<double>(part.points.size()) < static_cast<double>(points_m.size())) return;
    const std::size_t stride = (part.points.size() + kLooks - 1) / kLooks;
    std::size_t looks = 0, hidden = 0;
    for (std::size_t at = 0; at < part.points.size(); at += stride, ++looks)
      hidden += is_hidden(points_m, surface, cells, radius_m, depth_m, part.points[at]) ? 1 : 0;
    turns[k] = 2 * hidden > looks ? 1 : 0;
  });
  for (std::uint32_t k = 0; k < turns.size(); ++k)
    if (turns[k] != 0) surface.turn(k);
}

Surface surface_of(const PointCloud& cloud, bool use_normals, const Vec3& up, double step_m) {
  Surface surface{
      .graph = graph_of(cloud.points_m, 2 * step_m), .part_of = {}, .parts = {}, .is_given = use_normals};
  if (use_normals) surface.graph.normals = cloud.normals;
  join_parts(cloud.points_m, surface);
  turn_parts(up, surface);
  turn_hidden(cloud.points_m, surface);
  return surface;
}

// Turns the steep open parts of `after` to the side of those of `before` nearby.
void follow(const PointCloud& before, const Surface& was, const PointCloud& after, const Vec3& up,
            Surface& is) {
  const NearestNeighbourIndex index(before.points_m, true);
  std::vector<std::uint32_t> steep, nearest;
  double agreeing = 0;
  for (std::uint32_t i = 0; i < is.parts.size(); ++i) {
    const Part& part = is.parts[i];
    if (!part.is_open || std::abs(part.normal.dot(up)) >= 2 * kLevel * part.normal.norm()) continue;
    steep.push_back(i);
    std::vector<Vec3> places_m;
    for (const std::uint32_t point : part.points) places_m.push_back(after.points_m[point]);
    nearest.resize(places_m.size());
    index.nearest(places_m, nearest);
    for (std::size_t k = 0; k < nearest.size(); ++k)
      agreeing += was.graph.normals[nearest[k]].dot(is.graph.normals[part.points[k]]);
  }
  if (agreeing < 0)
    for (const std::uint32_t part : steep) is.turn(part);
}

// Returns whether a cloud has normals, those of neighbours alike.
bool has_normals(const PointCloud& cloud) {
  if (cloud.normals.empty()) return false;
  const NearestNeighbourIndex index(cloud.points_m, true);
  const std::size_t stride = 1 + cloud.points_m.size() / 10000;
  std::size_t looks = 0, alike = 0;
  std::vector<NearestNeighbourIndex::Neighbour> nearest;
  for (std::size_t i = 0; i < cloud.points_m.size(); i += stride, ++looks) {
    index.k_nearest(cloud.points_m[i], 2, nearest);
    alike += cloud.normals[nearest.front().index].dot(cloud.normals[nearest.back().index]) > 0 ? 1 : 0;
  }
  return static_cast<double>(alike) >= kAgreeing * static_cast<double>(looks);
}

}  // namespace

void find_sides(PointCloud& before, PointCloud& after, const Vec3& up, double step_m) {
  const bool use_normals = has_normals(before) && has_normals(after);
  Surface was = surface_of(before, use_normals, up, step_m), is = surface_of(after, use_normals, up, step_m);
  follow(before, was, after, up, is);
  before.normals = std::move(was.graph.normals);
  after.normals = std::move(is.graph.normals);
}

}  // namespace aqbench
