#include "metrics/truth/truth_cloud.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/error.h"
#include "core/parallel_sort.h"
#include "scenes/cloud/measurable.h"

namespace aqbench {
namespace {

// A point, and the number that it has when all points of all scans are counted.
struct NumberedPoint {
  Vec3 position_m;
  std::uint32_t number;
};

// Collects the points of all scans. At most 64 bytes are needed for each of them, 80 where scans have
// normals: what has been taken of the scans is given back.
class PointCollector {
 public:
  explicit PointCollector(std::vector<Scan> scans) : scans_(std::move(scans)) {
    for (const Scan& scan : scans_) first_.push_back(first_.back() + scan.cloud.points_m.size());
    if (first_.back() >= std::numeric_limits<std::uint32_t>::max())
      throw input_error("{}: more than 4294967294 true points: {}", scans_.front().file, first_.back());
    have_normals_ = std::ranges::all_of(scans_, [](const Scan& scan) { return !scan.cloud.normals.empty(); });
    have_scanners_ = std::ranges::any_of(scans_, [](const Scan& scan) { return scan.scanner_m.has_value(); });
  }

  // Call it once.
  TruePoints collect() {
    std::vector<NumberedPoint> points = sorted_points();
    TruePoints collected;
    for (const Scan& scan : scans_) collected.scanners_m.push_back(scan.scanner_m);
    if (have_normals_) {
      collected.normals.resize(points.size());
      std::ranges::transform(points, collected.normals.begin(), [&](const NumberedPoint& point) {
        return CompactNormal(normal_of(point.number));
      });
    }
    if (have_scanners_) {
      collected.scan_of.resize(points.size());
      std::ranges::transform(points, collected.scan_of.begin(), [&](const NumberedPoint& point) {
        return static_cast<std::uint32_t>(scan_of(point.number));
      });
    }
    scans_.clear();
    collected.positions_m.resize(points.size());
    std::ranges::transform(points, collected.positions_m.begin(), &NumberedPoint::position_m);
    return collected;
  }

 private:
  std::vector<NumberedPoint> sorted_points() {
    std::vector<NumberedPoint> points;
    points.reserve(first_.back());
    std::uint32_t number = 0;
    for (Scan& scan : scans_) {
      for (const Vec3& position_m : scan.cloud.points_m) {
        if (is_measurable(position_m)) points.push_back({position_m, number});
        ++number;
      }
      scan.cloud.points_m = std::vector<Vec3>();  // = {} would keep the memory
    }
    // Points at one place are chosen by their content, so the order of the scans does not matter.
    parallel_sort(points.begin(), points.end(), [&](const NumberedPoint& a, const NumberedPoint& b) {
      if (a.position_m != b.position_m) return comes_before(a.position_m, b.position_m);
      const Vec3 left = normal_of(a.number), right = normal_of(b.number);
      if (left != right) return comes_before(left, right);
      return comes_before(scanner_of(a.number), scanner_of(b.number));
    });
    const auto repeated = std::unique(
        points.begin(), points.end(),
        [](const NumberedPoint& a, const NumberedPoint& b) { return a.position_m == b.position_m; });
    points.erase(repeated, points.end());
    return points;
  }

  std::size_t scan_of(std::uint32_t number) const {
    return static_cast<std::size_t>(std::ranges::upper_bound(first_, number) - first_.begin()) - 1;
  }
  Vec3 normal_of(std::uint32_t number) const {
    if (!have_normals_) return Vec3::Zero();
    const std::size_t scan = scan_of(number);
    const Vec3& normal = scans_[scan].cloud.normals[number - first_[scan]];
    return is_measurable(normal) && normal.norm() > 0 ? normal.normalized() : Vec3::Zero();
  }
  // Scanners that are not known come last.
  Vec3 scanner_of(std::uint32_t number) const {
    return scans_[scan_of(number)].scanner_m.value_or(Vec3::Constant(1e300));
  }

  std::vector<Scan> scans_;
  std::vector<std::size_t> first_ = {0};  // number of a scan's first point; one more than scans
  bool have_normals_ = false, have_scanners_ = false;
};

}  // namespace

CompactNormal::CompactNormal(const Vec3& normal) {
  if (normal.isZero()) return;
  const Vec3 on_octahedron = normal / normal.lpNorm<1>();
  double u = on_octahedron.x(), v = on_octahedron.y();
  if (on_octahedron.z() < 0) {
    u = std::copysign(1 - std::abs(on_octahedron.y()), on_octahedron.x());
    v = std::copysign(1 - std::abs(on_octahedron.x()), on_octahedron.y());
  }
  u_ = static_cast<std::int32_t>(std::lround(u * kOne));
  v_ = static_cast<std::int32_t>(std::lround(v * kOne));
}

Vec3 CompactNormal::unit() const {
  if (u_ == kNone) return Vec3::Zero();
  const double u = u_ / kOne, v = v_ / kOne, z = 1 - std::abs(u) - std::abs(v);
  const Vec3 normal =
      z >= 0 ? Vec3(u, v, z) : Vec3(std::copysign(1 - std::abs(v), u), std::copysign(1 - std::abs(u), v), z);
  return normal.normalized();
}

TruePoints collect_true_points(std::vector<Scan> scans) { return PointCollector(std::move(scans)).collect(); }

}  // namespace aqbench
