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

// What is known of one point before all are put into order.
struct TruthPoint {
  Vec3 position_m;
  Vec3 normal;     // zero: to be estimated
  Vec3 towards_m;  // from the point to the scanner, or (0, 0, -1)
};

bool lies_before(const TruthPoint& a, const TruthPoint& b) {
  for (const auto& [left, right] : {std::pair(&a.position_m, &b.position_m), {&a.normal, &b.normal}})
    for (int axis = 0; axis < 3; ++axis)
      if ((*left)[axis] != (*right)[axis]) return (*left)[axis] < (*right)[axis];
  return false;
}

std::vector<TruthPoint> collect_points(const std::vector<Scan>& scans) {
  const bool have_normals =
      std::ranges::all_of(scans, [](const Scan& scan) { return !scan.cloud.normals.empty(); });
  std::vector<TruthPoint> points;
  for (const Scan& scan : scans) {
    for (std::size_t i = 0; i < scan.cloud.points_m.size(); ++i) {
      const Vec3& position_m = scan.cloud.points_m[i];
      if (!is_measurable(position_m)) continue;
      TruthPoint point{position_m, Vec3::Zero(), Vec3(0, 0, -1)};
      if (scan.scanner_m) point.towards_m = *scan.scanner_m - position_m;
      if (have_normals && is_measurable(scan.cloud.normals[i]) && scan.cloud.normals[i].norm() > 0)
        point.normal = scan.cloud.normals[i].normalized();
      points.push_back(point);
    }
  }
  std::ranges::sort(points, lies_before);
  const auto repeated = std::ranges::unique(
      points, [](const TruthPoint& a, const TruthPoint& b) { return a.position_m == b.position_m; });
  points.erase(repeated.begin(), repeated.end());
  return points;
}

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

std::vector<Vec3> positions_of(const std::vector<TruthPoint>& points) {
  std::vector<Vec3> positions_m(points.size());
  std::ranges::transform(points, positions_m.begin(), &TruthPoint::position_m);
  return positions_m;
}

class ScanSurface final : public TruthCloud {
 public:
  ScanSurface(const std::vector<TruthPoint>& points, const TruthCloudOptions& options)
      : options_(options), points_m_(positions_of(points)), index_(points_m_, true) {
    for (const Vec3& point : points_m_) bounds_m_.extend(point);
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
  void add_planes(const std::vector<TruthPoint>& points);
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

void ScanSurface::add_planes(const std::vector<TruthPoint>& points) {
  normals_.resize(points.size());
  reaches_m_.resize(points.size());
  std::vector<double> nearest_m(points.size());
  std::mutex mutex;
  parallel_for(points.size(), kTruthGrain, [&](std::size_t begin, std::size_t end) {
    std::vector<NearestNeighbourIndex::Neighbour> neighbours;
    std::vector<Vec3> offsets_m;
    std::vector<std::pair<std::uint32_t, Gap>> found;
    for (std::size_t i = begin; i < end; ++i) {
      index_.k_nearest(points_m_[i], options_.neighbours + 1, neighbours);  // the point itself is the first
      offsets_m.clear();
      for (const auto& neighbour : neighbours) offsets_m.push_back(points_m_[neighbour.index] - points_m_[i]);
      Vec3 normal = points[i].normal;
      if (normal.isZero()) {
        normal = plane_normal(offsets_m);
        if (normal.dot(points[i].towards_m) < 0) normal = -normal;
      }
      normals_[i] = normal;
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
  using Cell = std::array<double, 3>;  // whole numbers
  std::vector<std::pair<Cell, std::uint32_t>> cells(points_m_.size());
  for (std::uint32_t i = 0; i < cells.size(); ++i) {
    const Vec3 cell = (points_m_[i] - bounds_m_.min()) / spacing_m;
    cells[i] = {{std::floor(cell.x()), std::floor(cell.y()), std::floor(cell.z())}, i};
  }
  std::ranges::sort(cells);
  SurfaceSamples samples;
  samples.spacing_m = spacing_m;
  for (std::size_t i = 0; i < cells.size(); ++i)
    if (i == 0 || cells[i].first != cells[i - 1].first)
      samples.positions_m.push_back(points_m_[cells[i].second]);
  samples.weights.assign(samples.positions_m.size(), spacing_m * spacing_m);
  return samples;
}

}  // namespace

std::shared_ptr<const TruthCloud> make_truth_cloud(std::vector<Scan> scans,
                                                   const TruthCloudOptions& options) {
  if (options.neighbours < 3) throw Error(ErrorKind::usage, "neighbours: must be at least 3");
  const std::vector<TruthPoint> points = collect_points(scans);
  if (points.empty())
    throw Error(ErrorKind::input,
                fmt::format("{}: no finite point", scans.empty() ? "truth" : scans.front().file));
  scans.clear();
  return std::make_shared<ScanSurface>(points, options);
}

}  // namespace aqbench
