#include "metrics/protocols/cloud_truth.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <utility>

#include "core/parallel.h"

namespace aqbench {
namespace {

template <class T>
using Vec = Eigen::Matrix<T, 3, 1>;

// A box around points, or around their directions.
struct Box {
  Vec3 low = Vec3::Constant(std::numeric_limits<double>::infinity());
  Vec3 high = -low;

  void add(const Vec3& point) {
    low = low.cwiseMin(point);
    high = high.cwiseMax(point);
  }
  Vec3 sides() const { return high - low; }
  double squared_distance(const Vec3& point) const {
    double sum = 0;
    for (Eigen::Index axis = 0; axis < 3; ++axis) {
      const double beyond = std::max({low[axis] - point[axis], point[axis] - high[axis], 0.0});
      sum += beyond * beyond;
    }
    return sum;
  }
};

template <class T>
struct ScannedPoint {
  Vec<T> point, direction;
  T radius;  // its distance from the scanner
};

// Points first to last - 1. A node that is no leaf has its first child behind it.
struct BeamNode {
  Box points, directions;
  double farthest = 0;  // from the scanner
  std::uint32_t first = 0, last = 0, second_child = 0;
};

// The points of one scan in the scanner's frame, as a tree. It only saves work: which beams a point lies in
// is decided by distances. Nodes are divided by direction until they are as narrow as a beam, then by place,
// so that neither many points in one beam nor many beams make a search long.
template <class T>
class BeamTree {
 public:
  BeamTree(const std::vector<Vec3>& scan_m, const Beam& beam) : beam_(beam) {
    for (const Vec3& point_m : scan_m) {
      const Vec<T> point = point_m.cast<T>();
      if (point.allFinite() && point.norm() > 0) points_.push_back({point, point.normalized(), point.norm()});
    }
    drop_equal_points();
    if (!points_.empty()) add_node(0, static_cast<std::uint32_t>(points_.size()));
  }

  const std::vector<BeamNode>& nodes() const { return nodes_; }
  std::span<const ScannedPoint<T>> points_of(const BeamNode& node) const {
    return std::span(points_).subspan(node.first, node.last - node.first);
  }

 private:
  static constexpr std::uint32_t kLeaf = 8;  // points, at most

  // What is there twice says nothing new.
  void drop_equal_points() {
    const auto before = [](const ScannedPoint<T>& a, const ScannedPoint<T>& b) {
      return std::lexicographical_compare(a.point.data(), a.point.data() + 3, b.point.data(),
                                          b.point.data() + 3);
    };
    std::sort(points_.begin(), points_.end(), before);
    const auto same = [](const ScannedPoint<T>& a, const ScannedPoint<T>& b) { return a.point == b.point; };
    points_.erase(std::unique(points_.begin(), points_.end(), same), points_.end());
  }

  void add_node(std::uint32_t first, std::uint32_t last) {
    const std::size_t index = nodes_.size();
    BeamNode node;
    node.first = first;
    node.last = last;
    for (const ScannedPoint<T>& one : points_of(node)) {
      node.points.add(one.point.template cast<double>());
      node.directions.add(one.direction.template cast<double>());
      node.farthest = std::max(node.farthest, static_cast<double>(one.radius));
    }
    nodes_.push_back(node);
    if (last - first <= kLeaf) return;
    const std::uint32_t middle = first + (last - first) / 2;
    divide(node, middle);
    add_node(first, middle);
    nodes_[index].second_child = static_cast<std::uint32_t>(nodes_.size());
    add_node(middle, last);
  }

  void divide(const BeamNode& node, std::uint32_t middle) {
    const double beam_width =
        2 * (beam_.radius_m / node.farthest + std::tan(beam_.halfangle_deg * std::numbers::pi / 180));
    Eigen::Index axis = 0;
    const bool by_direction = node.directions.sides().maxCoeff(&axis) > beam_width;
    if (!by_direction) node.points.sides().maxCoeff(&axis);
    const auto before = [&](const ScannedPoint<T>& a, const ScannedPoint<T>& b) {
      return by_direction ? a.direction[axis] < b.direction[axis] : a.point[axis] < b.point[axis];
    };
    std::nth_element(points_.begin() + node.first, points_.begin() + middle, points_.begin() + node.last,
                     before);
  }

  Beam beam_;
  std::vector<ScannedPoint<T>> points_;
  std::vector<BeamNode> nodes_;
};

template <class T>
struct Finding {
  T squared = std::numeric_limits<T>::infinity();
  bool seen_through = false;
};

template <class T>
void hold_against(const Vec<T>& point, T beam_radius, const ScannedPoint<T>& scanned, Finding<T>& finding) {
  const T along = scanned.direction.dot(point);
  if (along < 0) return;
  if ((point - along * scanned.direction).squaredNorm() > beam_radius * beam_radius) return;
  finding.squared = std::min(finding.squared, (scanned.point - point).squaredNorm());
  if (along < scanned.radius) finding.seen_through = true;
}

// Holds a point, in the scanner's frame, against the beams of a tree. Nodes are left out where no beam can
// reach the point, and where nothing in them could change what was found, with room above all rounding of 32
// bits.
template <class T>
class BeamSearch {
 public:
  BeamSearch(const BeamTree<T>& tree, const Vec<T>& point, T start_radius, T tangent)
      : tree_(tree), point_(point), beam_radius_(start_radius + point.norm() * tangent) {
    constexpr double kRoom = 1e-4, kRounding = 1e-5;  // radians; relative
    wide_ = point.template cast<double>();
    const double radius = wide_.norm(), reach = static_cast<double>(beam_radius_) * (1 + kRounding);
    if (!(reach < radius)) return;
    direction_ = wide_ / radius;
    const double angle = std::asin(reach / radius) + kRoom;
    squared_chord_ = 4 * std::pow(std::sin(angle / 2), 2);
    least_along_ = radius * std::cos(angle) * (1 - kRounding);
  }

  void run(Finding<T>& finding) const {
    if (!tree_.nodes().empty()) visit(0, squared_distance(0), finding);
  }

 private:
  double squared_distance(std::size_t index) const {
    return tree_.nodes()[index].points.squared_distance(wide_);
  }

  // Whether a node, so far from the point, can change what was found.
  bool may_matter(const BeamNode& node, double squared_m2, const Finding<T>& finding) const {
    constexpr double kRounding = 1e-5;
    const bool is_near = squared_m2 * (1 - kRounding) <= static_cast<double>(finding.squared);
    if (!is_near && (finding.seen_through || node.farthest <= least_along_)) return false;
    return node.directions.squared_distance(direction_) <= squared_chord_;
  }

  void visit(std::size_t index, double squared_m2, Finding<T>& finding) const {
    const BeamNode& node = tree_.nodes()[index];
    if (!may_matter(node, squared_m2, finding)) return;
    if (node.second_child == 0) {
      for (const ScannedPoint<T>& one : tree_.points_of(node))
        hold_against(point_, beam_radius_, one, finding);
      return;
    }
    std::size_t near = index + 1, far = node.second_child;
    double near_m2 = squared_distance(near), far_m2 = squared_distance(far);
    if (far_m2 < near_m2) {
      std::swap(near, far);
      std::swap(near_m2, far_m2);
    }
    visit(near, near_m2, finding);
    visit(far, far_m2, finding);
  }

  const BeamTree<T>& tree_;
  Vec<T> point_;
  T beam_radius_;
  Vec3 wide_, direction_ = Vec3::Zero();
  double squared_chord_ = std::numeric_limits<double>::infinity(), least_along_ = -1;
};

template <class T>
BeamFindings compare(std::span<const Vec3> points_m, std::span<const BeamScan> scans, const Beam& beam) {
  std::vector<Finding<T>> findings(points_m.size());
  const T start_radius = static_cast<T>(beam.radius_m);
  const T tangent = static_cast<T>(std::tan(static_cast<double>(static_cast<T>(beam.halfangle_deg)) *
                                            static_cast<double>(static_cast<T>(std::numbers::pi / 180))));
  for (const BeamScan& scan : scans) {
    const BeamTree<T> tree(scan.points_m, beam);
    const Eigen::Matrix<T, 3, 3> turn = scan.world_from_scanner.topLeftCorner<3, 3>().transpose().cast<T>();
    const Vec<T> shift = turn * (-scan.world_from_scanner.topRightCorner<3, 1>().cast<T>());
    parallel_for(points_m.size(), 1 << 10, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        const Vec<T> point = turn * points_m[i].cast<T>() + shift;
        BeamSearch<T>(tree, point, start_radius, tangent).run(findings[i]);
      }
    });
  }
  BeamFindings found;
  for (const Finding<T>& finding : findings) {
    found.distance_m.push_back(std::sqrt(static_cast<double>(finding.squared)));
    found.seen_through.push_back(finding.seen_through);
  }
  return found;
}

}  // namespace

BeamFindings compare_with_beams(std::span<const Vec3> points_m, std::span<const BeamScan> scans,
                                const Beam& beam, bool single) {
  return single ? compare<float>(points_m, scans, beam) : compare<double>(points_m, scans, beam);
}

}  // namespace aqbench
