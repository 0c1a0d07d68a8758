#include "metrics/truth/truth_cloud.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <limits>
#include <mutex>
#include <numbers>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "core/error.h"
#include "core/parallel.h"
#include "core/text.h"
#include "metrics/neighbours/nearest_neighbour.h"
#include "metrics/numbers/order_statistics.h"

namespace aqbench {
namespace {

constexpr std::size_t kTruthGrain = 1 << 10;
constexpr std::size_t kNeighbours = 24;                 // that make the local plane
constexpr double kBorderGap = 0.75 * std::numbers::pi;  // free angle around a point on a border

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

// Returns which eighth of a turn a direction lies in, counted from the first axis.
unsigned octant_of(double x, double y) {
  unsigned octant = 0;
  if (y < 0) std::tie(octant, x, y) = std::tuple(4U, -x, -y);
  if (x < 0) std::tie(octant, x, y) = std::tuple(octant + 2, y, -x);
  return octant + (y > x ? 1 : 0);
}

// Returns the widest gap in the directions of the neighbours around a point, if it is that of a border.
std::optional<Gap> border_gap(const std::vector<Vec3>& offsets_m, const Vec3& normal) {
  const Vec3 u = normal.unitOrthogonal(), v = normal.cross(u);
  std::vector<std::array<double, 2>> directions;
  unsigned filled = 0;  // a bit for each octant
  for (const Vec3& offset : offsets_m) {
    const double x = offset.dot(u), y = offset.dot(v);
    if (x == 0 && y == 0) continue;
    directions.push_back({x, y});
    filled |= 1U << octant_of(x, y);
  }
  // Most points are amid others: a gap of three octants has two whole ones beside each other.
  const unsigned empty = ~filled & 0xFFU, next = (empty >> 1) | ((empty & 1U) << 7);
  if ((empty & next) == 0) return std::nullopt;
  std::vector<double> angles;
  for (const auto& [x, y] : directions) angles.push_back(std::atan2(y, x));
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

// What the neighbours of a true point tell of it.
struct PointPlane {
  Vec3 normal = Vec3::Zero();  // zero where there is no plane
  float reach_m = 0;           // how far the neighbours reach
  std::optional<Gap> gap;      // of a point on a border
};

// Points are counted in the order of their coordinates. All that belongs to one is at its slot of the index,
// which alone holds the places. The plane of a point is made when it is first asked for: a cloud has few
// points beside a scan, and most protocols of papers ask for none.
class ScanSurface final : public TruthCloud {
 public:
  ScanSurface(TruePoints points, const TruthCloudOptions& options)
      : options_(options),
        points_(points.positions_m.size()),
        index_(points.positions_m, true),
        normals_(index_.slots()),
        reaches_m_(index_.slots()) {
    for (const Vec3& point : points.positions_m) bounds_m_.extend(point);
    for (std::atomic<float>& reach_m : reaches_m_) reach_m.store(kUnknown, std::memory_order_relaxed);
    points.positions_m = std::vector<Vec3>();  // = {} would keep the memory
    told_ = std::move(points);
  }

  void closest_points_and_borders(std::span<const Vec3> points, std::span<ClosestPoint> out,
                                  std::span<std::uint8_t> beyond_border) const override;
  double area_m2() const override { return std::numeric_limits<double>::quiet_NaN(); }
  double diagonal_m() const override { return bounds_m_.diagonal().norm(); }
  void sample_positions(std::uint64_t, std::uint64_t, std::span<Vec3>) const override {
    throw Error(ErrorKind::usage, "a cloud as truth: has no surface to take points from");
  }
  SurfaceSamples stratified_samples(double spacing_m, std::uint64_t seed) const override;
  TriangleMesh mesh(double) const override;
  Eigen::AlignedBox3d bounds_m() const override { return bounds_m_; }
  std::size_t points() const override { return points_; }
  double spacing_m() const override;

 private:
  static constexpr float kUnknown = std::numeric_limits<float>::quiet_NaN();

  PointPlane make_plane(std::uint32_t slot) const;
  PointPlane plane_of(std::uint32_t slot) const;
  ClosestPoint closest_to(const PointPlane& plane, const Vec3& point, std::uint32_t slot) const;
  bool is_beyond_border(const PointPlane& plane, const Vec3& point, std::uint32_t slot) const;
  std::vector<std::uint32_t> slots_in_order() const;

  TruthCloudOptions options_;
  std::size_t points_ = 0;
  NearestNeighbourIndex index_;
  TruePoints told_;  // without positions
  Eigen::AlignedBox3d bounds_m_;

  // Planes that were made. Threads may make the same one, and then write the same. A reach is written last;
  // it is negative where there is a gap.
  mutable std::vector<std::atomic<CompactNormal>> normals_;
  mutable std::vector<std::atomic<float>> reaches_m_;
  mutable std::mutex gaps_mutex_;
  mutable std::unordered_map<std::uint32_t, Gap> gaps_;
};

PointPlane ScanSurface::make_plane(std::uint32_t slot) const {
  const Vec3 position_m = index_.position_m(slot);
  const std::uint32_t i = index_.index_at(slot);
  thread_local std::vector<NearestNeighbourIndex::Neighbour> neighbours;
  thread_local std::vector<Vec3> offsets_m;
  index_.k_nearest(position_m, kNeighbours + 1, neighbours);  // the point itself is the first
  offsets_m.clear();
  for (const auto& neighbour : neighbours)
    offsets_m.push_back(index_.position_m(neighbour.slot) - position_m);
  Vec3 normal = told_.normals.empty() ? Vec3::Zero() : told_.normals[i].unit();
  if (normal.isZero()) {
    normal = plane_normal(offsets_m);
    if (normal.dot(told_.towards_m(i, position_m, options_.cameras_m)) < 0) normal = -normal;
  }
  PointPlane plane{normal, static_cast<float>(std::sqrt(neighbours.back().squared_m2)), std::nullopt};
  if (!normal.isZero()) plane.gap = border_gap(offsets_m, normal);
  return plane;
}

PointPlane ScanSurface::plane_of(std::uint32_t slot) const {
  float reach_m = reaches_m_[slot].load(std::memory_order_acquire);
  PointPlane plane;
  if (std::isnan(reach_m)) {
    plane = make_plane(slot);
    normals_[slot].store(CompactNormal(plane.normal), std::memory_order_relaxed);
    if (plane.gap) {
      const std::lock_guard lock(gaps_mutex_);
      gaps_.emplace(slot, *plane.gap);
    }
    reach_m = plane.gap ? -plane.reach_m : plane.reach_m;
    reaches_m_[slot].store(reach_m, std::memory_order_release);
  } else if (std::signbit(reach_m)) {
    const std::lock_guard lock(gaps_mutex_);
    plane.gap = gaps_.at(slot);
  }
  plane.normal = normals_[slot].load(std::memory_order_relaxed).unit();
  plane.reach_m = std::abs(reach_m);
  return plane;
}

double ScanSurface::spacing_m() const {
  std::vector<double> nearest_m(points_);
  parallel_for(index_.slots(), kTruthGrain, [&](std::size_t begin, std::size_t end) {
    std::vector<NearestNeighbourIndex::Neighbour> neighbours;
    for (auto slot = static_cast<std::uint32_t>(begin); slot < end; ++slot) {
      if (!index_.holds_point(slot)) continue;
      index_.k_nearest(index_.position_m(slot), 2, neighbours);  // the point itself is the first
      nearest_m[index_.index_at(slot)] = neighbours.size() > 1 ? std::sqrt(neighbours[1].squared_m2) : 0;
    }
  });
  return median_in_place(nearest_m);
}

ClosestPoint ScanSurface::closest_to(const PointPlane& plane, const Vec3& point, std::uint32_t slot) const {
  const Vec3 nearest_m = index_.position_m(slot), away = point - nearest_m, normal = plane.normal;
  const double height = away.dot(normal);
  const Vec3 along = away - height * normal;
  const bool on_plane = options_.distance == CloudDistance::plane && !normal.isZero() &&
                        along.norm() <= static_cast<double>(plane.reach_m);
  if (on_plane) return {nearest_m + along, normal, height};
  return {nearest_m, normal, std::copysign(away.norm(), height)};
}

bool ScanSurface::is_beyond_border(const PointPlane& plane, const Vec3& point, std::uint32_t slot) const {
  if (!plane.gap) return false;
  const Vec3 away = point - index_.position_m(slot);
  const Vec3 along = away - away.dot(plane.normal) * plane.normal;
  return along.dot(plane.gap->middle) > plane.gap->cos_half_width * along.norm();
}

// Returns the slots of the points in the order of their coordinates.
std::vector<std::uint32_t> ScanSurface::slots_in_order() const {
  std::vector<std::uint32_t> slots(points_);
  parallel_for(index_.slots(), kTruthGrain, [&](std::size_t begin, std::size_t end) {
    for (auto slot = static_cast<std::uint32_t>(begin); slot < end; ++slot)
      if (index_.holds_point(slot)) slots[index_.index_at(slot)] = slot;
  });
  return slots;
}

TriangleMesh ScanSurface::mesh(double) const {
  TriangleMesh points;
  for (const std::uint32_t slot : slots_in_order()) points.vertices_m.push_back(index_.position_m(slot));
  return points;
}

void ScanSurface::closest_points_and_borders(std::span<const Vec3> points, std::span<ClosestPoint> out,
                                             std::span<std::uint8_t> beyond_border) const {
  std::vector<std::uint32_t> nearest(points.size());
  index_.nearest_slots(points, nearest);
  for (std::size_t i = 0; i < points.size(); ++i) {
    const PointPlane plane = plane_of(nearest[i]);
    out[i] = closest_to(plane, points[i], nearest[i]);
    if (!beyond_border.empty()) beyond_border[i] = is_beyond_border(plane, points[i], nearest[i]) ? 1 : 0;
  }
}

SurfaceSamples ScanSurface::stratified_samples(double spacing_m, std::uint64_t) const {
  if (!(spacing_m > 0)) throw usage_error("spacing_m: must be positive, got {}", spacing_m);
  // Points are in the order of x: those of one slab of cells follow each other.
  const std::vector<std::uint32_t> slots = slots_in_order();
  const auto cell_at = [&](std::uint32_t i, int axis) {
    return std::floor((index_.position_m(slots[i])[axis] - bounds_m_.min()[axis]) / spacing_m);
  };
  std::vector<std::uint32_t> slabs;  // where each begins, and the end
  double last = std::numeric_limits<double>::quiet_NaN();
  for (std::uint32_t i = 0; i < points_; ++i)
    if (const double cell = cell_at(i, 0); cell != last) {
      slabs.push_back(i);
      last = cell;
    }
  slabs.push_back(static_cast<std::uint32_t>(points_));
  using Cell = std::array<double, 2>;                              // whole numbers, along y and z
  std::vector<std::vector<std::uint32_t>> kept(slabs.size() - 1);  // slots, of each slab
  parallel_for(kept.size(), 1, [&](std::size_t k, std::size_t) {
    std::vector<std::pair<Cell, std::uint32_t>> slab;
    for (std::uint32_t i = slabs[k]; i < slabs[k + 1]; ++i)
      slab.push_back({{cell_at(i, 1), cell_at(i, 2)}, i});
    std::ranges::sort(slab);
    for (std::size_t i = 0; i < slab.size(); ++i)
      if (i == 0 || slab[i].first != slab[i - 1].first) kept[k].push_back(slots[slab[i].second]);
  });
  SurfaceSamples samples;
  samples.spacing_m = spacing_m;
  std::size_t count = 0;
  for (const auto& of_slab : kept) count += of_slab.size();
  samples.positions_m.reserve(count);  // 24 bytes each, and not twice while a vector grows
  for (const auto& of_slab : kept)
    for (const std::uint32_t slot : of_slab) samples.positions_m.push_back(index_.position_m(slot));
  samples.each_m2 = spacing_m * spacing_m;
  samples.of_points = points_;
  return samples;
}

}  // namespace

std::shared_ptr<const TruthCloud> make_truth_cloud(std::vector<Scan> scans,
                                                   const TruthCloudOptions& options) {
  const std::string file = scans.empty() ? "truth" : scans.front().file;
  TruePoints points = collect_true_points(std::move(scans));
  if (points.positions_m.empty()) throw input_error("{}: no finite point", file);
  if (std::ranges::all_of(points.positions_m, [&](const Vec3& p) { return p == points.positions_m.front(); }))
    throw input_error("{}: {} at one place: no surface", file,
                      counted(points.positions_m.size(), "finite point"));
  return std::make_shared<ScanSurface>(std::move(points), options);
}

}  // namespace aqbench
