#include "metrics/truth_cloud.h"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <mutex>
#include <numbers>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "core/error.h"
#include "core/parallel.h"
#include "metrics/neighbours/measurable.h"
#include "metrics/neighbours/nearest_neighbour.h"
#include "metrics/numbers/order_statistics.h"

namespace aqbench {
namespace {

constexpr std::size_t kTruthGrain = 1 << 10;
constexpr double kBorderGap = 0.75 * std::numbers::pi;  // free angle around a point on a border

// The true points in the order of their coordinates, each place once, and what the scans say of them.
struct TruePoints {
  std::vector<Vec3> positions_m;
  std::vector<Vec3> normals;                    // as many, or none; zero: to be estimated
  std::vector<std::uint32_t> scan_of;           // as many, or none if no scanner's place is known
  std::vector<std::optional<Vec3>> scanners_m;  // of the scans

  // Returns the direction from point i to where it was seen from: its scanner, or (0, 0, -1).
  Vec3 towards_m(std::size_t i, const Vec3& position_m) const {
    if (scan_of.empty() || !scanners_m[scan_of[i]]) return {0, 0, -1};
    return *scanners_m[scan_of[i]] - position_m;
  }
};

// A point, and the number that it has when all points of all scans are counted.
struct NumberedPoint {
  Vec3 position_m;
  std::uint32_t number;
};

bool comes_before(const Vec3& left, const Vec3& right) {
  for (int axis = 0; axis < 3; ++axis)
    if (left[axis] != right[axis]) return left[axis] < right[axis];
  return false;
}

// Collects the points of all scans with at most 60 bytes for each of them, beside the scans.
class PointCollector {
 public:
  explicit PointCollector(const std::vector<Scan>& scans) : scans_(scans) {
    for (const Scan& scan : scans_) first_.push_back(first_.back() + scan.cloud.points_m.size());
    if (first_.back() >= std::numeric_limits<std::uint32_t>::max())
      throw Error(ErrorKind::input, fmt::format("{}: more than 4294967294 true points: {}",
                                                scans_.front().file, first_.back()));
    have_normals_ = std::ranges::all_of(scans_, [](const Scan& scan) { return !scan.cloud.normals.empty(); });
    have_scanners_ = std::ranges::any_of(scans_, [](const Scan& scan) { return scan.scanner_m.has_value(); });
  }

  TruePoints collect() const {
    std::vector<NumberedPoint> points = sorted_points();
    TruePoints collected;
    for (const Scan& scan : scans_) collected.scanners_m.push_back(scan.scanner_m);
    collected.positions_m.resize(points.size());
    std::ranges::transform(points, collected.positions_m.begin(), &NumberedPoint::position_m);
    if (have_normals_)
      for (const NumberedPoint& point : points) collected.normals.push_back(normal_of(point.number));
    if (have_scanners_)
      for (const NumberedPoint& point : points)
        collected.scan_of.push_back(static_cast<std::uint32_t>(scan_of(point.number)));
    return collected;
  }

 private:
  std::vector<NumberedPoint> sorted_points() const {
    std::vector<NumberedPoint> points;
    points.reserve(first_.back());
    std::uint32_t number = 0;
    for (const Scan& scan : scans_)
      for (const Vec3& position_m : scan.cloud.points_m) {
        if (is_measurable(position_m)) points.push_back({position_m, number});
        ++number;
      }
    // What is said of points at one place decides between them, whatever the order of the scans.
    std::ranges::sort(points, [&](const NumberedPoint& a, const NumberedPoint& b) {
      if (a.position_m != b.position_m) return comes_before(a.position_m, b.position_m);
      const Vec3 left = normal_of(a.number), right = normal_of(b.number);
      if (left != right) return comes_before(left, right);
      return comes_before(scanner_of(a.number), scanner_of(b.number));
    });
    const auto repeated = std::ranges::unique(points, {}, &NumberedPoint::position_m);
    points.erase(repeated.begin(), repeated.end());
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

  const std::vector<Scan>& scans_;
  std::vector<std::size_t> first_ = {0};  // number of a scan's first point; one more than scans
  bool have_normals_ = false, have_scanners_ = false;
};

// The side of a border point on which there is no other point.
struct Gap {
  Vec3 middle;  // unit, in the tangent plane
  double cos_half_width;
};

// Returns the normal of the plane through the neighbours; zero where they make no plane.
Vec3 plane_normal(const std::vector<Vec3>& offsets_m) {
  Vec3 mean = Vec3::Zero();
  for (const Vec3& offset : offsets_m) mean += offset / static_cast<double>(offsets_m.size());
  Eigen::Matrix3d scatter = Eigen::Matrix3d::Zero();
  for (const Vec3& offset : offsets_m) scatter += (offset - mean) * (offset - mean).transpose();
  Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver;
  solver.compute(scatter);
  if (!(solver.eigenvalues()[1] > 1e-6 * solver.eigenvalues()[2])) return Vec3::Zero();
  return solver.eigenvectors().col(0);
}

// Returns the widest gap in the directions of the neighbours around a point, if it is that of a border.
std::optional<Gap> border_gap(const std::vector<Vec3>& offsets_m, const Vec3& normal) {
  const Vec3 u = normal.unitOrthogonal(), v = normal.cross(u);
  std::vector<double> angles;
  for (const Vec3& offset : offsets_m)
    if (const double x = offset.dot(u), y = offset.dot(v); x != 0 || y != 0)
      angles.push_back(std::atan2(y, x));
  if (angles.size() < 3) return std::nullopt;
  std::ranges::sort(angles);
  double widest = angles.front() + 2 * std::numbers::pi - angles.back(), from = angles.back();
  for (std::size_t i = 0; i + 1 < angles.size(); ++i) {
    if (angles[i + 1] - angles[i] <= widest) continue;
    widest = angles[i + 1] - angles[i];
    from = angles[i];
  }
  if (widest < kBorderGap) return std::nullopt;
  const double middle = from + widest / 2;
  return Gap{std::cos(middle) * u + std::sin(middle) * v, std::cos(widest / 2)};
}

class ScanSurface final : public TruthCloud {
 public:
  ScanSurface(TruePoints points, const TruthCloudOptions& options)
      : options_(options), points_m_(std::move(points.positions_m)), index_(points_m_, true) {
    for (const Vec3& point : points_m_) bounds_m_.extend(point);
    normals_ = std::move(points.normals);
    points.positions_m = {};
    add_planes(points);
  }

  void closest_points(std::span<const Vec3> points, std::span<ClosestPoint> out) const override {
    search_all(points, out, {});
  }
  void closest_points_and_borders(std::span<const Vec3> points, std::span<ClosestPoint> out,
                                  std::span<std::uint8_t> beyond_border) const override {
    search_all(points, out, beyond_border);
  }
  void signed_distances(std::span<const Vec3> points, std::span<double> out) const override {
    std::vector<ClosestPoint> closest(points.size());
    search_all(points, closest, {});
    std::ranges::transform(closest, out.begin(), &ClosestPoint::signed_distance_m);
  }
  double area_m2() const override { return std::numeric_limits<double>::quiet_NaN(); }
  void sample_positions(std::uint64_t, std::uint64_t, std::span<Vec3>) const override {
    throw Error(ErrorKind::usage, "a cloud as truth: has no surface to take points from");
  }
  SurfaceSamples stratified_samples(double spacing_m, std::uint64_t seed) const override;
  TriangleMesh mesh(double) const override { return {points_m_, {}}; }
  Eigen::AlignedBox3d bounds_m() const override { return bounds_m_; }
  std::size_t points() const override { return points_m_.size(); }
  double spacing_m() const override { return spacing_m_; }

 private:
  void add_planes(const TruePoints& points);
  void search_all(std::span<const Vec3> points, std::span<ClosestPoint> out,
                  std::span<std::uint8_t> beyond_border) const;
  ClosestPoint closest_to(const Vec3& point, std::uint32_t nearest) const;
  bool is_beyond_border(const Vec3& point, std::uint32_t nearest) const;

  TruthCloudOptions options_;
  std::vector<Vec3> points_m_;  // in the order of their coordinates
  NearestNeighbourIndex index_;
  std::vector<Vec3> normals_;                    // unit; zero where there is no plane
  std::vector<float> reaches_m_;                 // how far the neighbours of a point reach
  std::unordered_map<std::uint32_t, Gap> gaps_;  // of points on a border
  Eigen::AlignedBox3d bounds_m_;
  double spacing_m_ = 0;
};

void ScanSurface::add_planes(const TruePoints& points) {
  normals_.resize(points_m_.size(), Vec3::Zero());
  reaches_m_.resize(points_m_.size());
  std::vector<double> nearest_m(points_m_.size());
  std::mutex mutex;
  parallel_for(points_m_.size(), kTruthGrain, [&](std::size_t begin, std::size_t end) {
    std::vector<NearestNeighbourIndex::Neighbour> neighbours;
    std::vector<Vec3> offsets_m;
    std::vector<std::pair<std::uint32_t, Gap>> found;
    for (std::size_t i = begin; i < end; ++i) {
      index_.k_nearest(points_m_[i], options_.neighbours + 1, neighbours);  // the point itself is the first
      offsets_m.clear();
      for (const auto& neighbour : neighbours) offsets_m.push_back(points_m_[neighbour.index] - points_m_[i]);
      Vec3& normal = normals_[i];
      if (normal.isZero()) {
        normal = plane_normal(offsets_m);
        if (normal.dot(points.towards_m(i, points_m_[i])) < 0) normal = -normal;
      }
      reaches_m_[i] = static_cast<float>(std::sqrt(neighbours.back().squared_m2));
      nearest_m[i] = neighbours.size() > 1 ? std::sqrt(neighbours[1].squared_m2) : 0;
      if (normal.isZero()) continue;
      if (const auto gap = border_gap(offsets_m, normal))
        found.emplace_back(static_cast<std::uint32_t>(i), *gap);
    }
    const std::lock_guard lock(mutex);
    gaps_.insert(found.begin(), found.end());
  });
  spacing_m_ = median_in_place(nearest_m);
}

ClosestPoint ScanSurface::closest_to(const Vec3& point, std::uint32_t nearest) const {
  const Vec3 away = point - points_m_[nearest];
  const Vec3& normal = normals_[nearest];
  const double height = away.dot(normal);
  const Vec3 along = away - height * normal;
  const bool on_plane = options_.distance == CloudDistance::plane && !normal.isZero() &&
                        along.norm() <= static_cast<double>(reaches_m_[nearest]);
  if (on_plane) return {points_m_[nearest] + along, normal, height};
  return {points_m_[nearest], normal, std::copysign(away.norm(), height)};
}

bool ScanSurface::is_beyond_border(const Vec3& point, std::uint32_t nearest) const {
  const auto gap = gaps_.find(nearest);
  if (gap == gaps_.end()) return false;
  const Vec3& normal = normals_[nearest];
  const Vec3 away = point - points_m_[nearest];
  const Vec3 along = away - away.dot(normal) * normal;
  return along.dot(gap->second.middle) > gap->second.cos_half_width * along.norm();
}

void ScanSurface::search_all(std::span<const Vec3> points, std::span<ClosestPoint> out,
                             std::span<std::uint8_t> beyond_border) const {
  std::vector<std::uint32_t> nearest(points.size());
  index_.nearest(points, nearest);
  for (std::size_t i = 0; i < points.size(); ++i) {
    out[i] = closest_to(points[i], nearest[i]);
    if (!beyond_border.empty()) beyond_border[i] = is_beyond_border(points[i], nearest[i]) ? 1 : 0;
  }
}

SurfaceSamples ScanSurface::stratified_samples(double spacing_m, std::uint64_t) const {
  if (!(spacing_m > 0))
    throw Error(ErrorKind::usage, fmt::format("spacing_m: must be positive, got {}", spacing_m));
  // Points are in the order of x: those of one slab of cells follow each other.
  const auto cell_at = [&](std::uint32_t i, int axis) {
    return std::floor((points_m_[i][axis] - bounds_m_.min()[axis]) / spacing_m);
  };
  using Cell = std::array<double, 2>;  // whole numbers, along y and z
  std::vector<std::pair<Cell, std::uint32_t>> slab;
  SurfaceSamples samples;
  samples.spacing_m = spacing_m;
  for (std::uint32_t begin = 0, end = 0; begin < points_m_.size(); begin = end) {
    slab.clear();
    for (end = begin; end < points_m_.size() && cell_at(end, 0) == cell_at(begin, 0); ++end)
      slab.push_back({{cell_at(end, 1), cell_at(end, 2)}, end});
    std::ranges::sort(slab);
    for (std::size_t i = 0; i < slab.size(); ++i)
      if (i == 0 || slab[i].first != slab[i - 1].first)
        samples.positions_m.push_back(points_m_[slab[i].second]);
  }
  samples.weights.assign(samples.positions_m.size(), spacing_m * spacing_m);
  return samples;
}

}  // namespace

std::shared_ptr<const TruthCloud> make_truth_cloud(std::vector<Scan> scans,
                                                   const TruthCloudOptions& options) {
  if (options.neighbours < 3) throw Error(ErrorKind::usage, "neighbours: must be at least 3");
  TruePoints points = PointCollector(scans).collect();
  if (points.positions_m.empty())
    throw Error(ErrorKind::input,
                fmt::format("{}: no finite point", scans.empty() ? "truth" : scans.front().file));
  scans = {};
  return std::make_shared<ScanSurface>(std::move(points), options);
}

}  // namespace aqbench
