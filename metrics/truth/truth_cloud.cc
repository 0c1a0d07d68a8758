#include "metrics/truth/truth_cloud.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <mutex>
#include <numbers>
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
      : options_(options), points_(points.positions_m.size()), index_(points.positions_m, true) {
    for (const Vec3& point : points.positions_m) bounds_m_.extend(point);
    points.positions_m = std::vector<Vec3>();  // = {} would keep the memory
    add_planes(points);
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
  double spacing_m() const override { return spacing_m_; }

 private:
  void add_planes(const TruePoints& points);
  ClosestPoint closest_to(const Vec3& point, std::uint32_t slot) const;
  bool is_beyond_border(const Vec3& point, std::uint32_t slot) const;
  std::vector<std::uint32_t> slots_in_order() const;

  // Points are counted in the order of their coordinates. All that belongs to one is at its slot of the
  // index, which alone holds the places.
  TruthCloudOptions options_;
  std::size_t points_ = 0;
  NearestNeighbourIndex index_;
  std::vector<CompactNormal> normals_;           // zero where there is no plane
  std::vector<float> reaches_m_;                 // how far the neighbours of a point reach
  std::unordered_map<std::uint32_t, Gap> gaps_;  // of points on a border
  Eigen::AlignedBox3d bounds_m_;
  double spacing_m_ = 0;
};

void ScanSurface::add_planes(const TruePoints& points) {
  normals_.resize(index_.slots());
  reaches_m_.resize(index_.slots());
  std::vector<double> nearest_m(points_);
  std::mutex mutex;
  parallel_for(index_.slots(), kTruthGrain, [&](std::size_t begin, std::size_t end) {
    std::vector<NearestNeighbourIndex::Neighbour> neighbours;
    std::vector<Vec3> offsets_m;
    std::vector<std::pair<std::uint32_t, Gap>> found;
    for (auto slot = static_cast<std::uint32_t>(begin); slot < end; ++slot) {
      if (!index_.holds_point(slot)) continue;
      const Vec3 position_m = index_.position_m(slot);
      const std::uint32_t i = index_.index_at(slot);
      index_.k_nearest(position_m, kNeighbours + 1, neighbours);  // the point itself is the first
      offsets_m.clear();
      for (const auto& neighbour : neighbours)
        offsets_m.push_back(index_.position_m(neighbour.slot) - position_m);
      Vec3 normal = points.normals.empty() ? Vec3::Zero() : points.normals[i].unit();
      if (normal.isZero()) {
        normal = plane_normal(offsets_m);
        if (normal.dot(points.towards_m(i, position_m, options_.cameras_m)) < 0) normal = -normal;
      }
      normals_[slot] = CompactNormal(normal);
      reaches_m_[slot] = static_cast<float>(std::sqrt(neighbours.back().squared_m2));
      nearest_m[i] = neighbours.size() > 1 ? std::sqrt(neighbours[1].squared_m2) : 0;
      if (normal.isZero()) continue;
      if (const auto gap = border_gap(offsets_m, normal)) found.emplace_back(slot, *gap);
    }
    const std::lock_guard lock(mutex);
    gaps_.insert(found.begin(), found.end());
  });
  spacing_m_ = median_in_place(nearest_m);
}

ClosestPoint ScanSurface::closest_to(const Vec3& point, std::uint32_t slot) const {
  const Vec3 nearest_m = index_.position_m(slot), away = point - nearest_m, normal = normals_[slot].unit();
  const double height = away.dot(normal);
  const Vec3 along = away - height * normal;
  const bool on_plane = options_.distance == CloudDistance::plane && !normal.isZero() &&
                        along.norm() <= static_cast<double>(reaches_m_[slot]);
  if (on_plane) return {nearest_m + along, normal, height};
  return {nearest_m, normal, std::copysign(away.norm(), height)};
}

bool ScanSurface::is_beyond_border(const Vec3& point, std::uint32_t slot) const {
  const auto gap = gaps_.find(slot);
  if (gap == gaps_.end()) return false;
  const Vec3 normal = normals_[slot].unit(), away = point - index_.position_m(slot);
  const Vec3 along = away - away.dot(normal) * normal;
  return along.dot(gap->second.middle) > gap->second.cos_half_width * along.norm();
}

// Returns the slots of the points in the order of their coordinates.
std::vector<std::uint32_t> ScanSurface::slots_in_order() const {
  std::vector<std::uint32_t> slots(points_);
  for (std::uint32_t slot = 0; slot < index_.slots(); ++slot)
    if (index_.holds_point(slot)) slots[index_.index_at(slot)] = slot;
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
    out[i] = closest_to(points[i], nearest[i]);
    if (!beyond_border.empty()) beyond_border[i] = is_beyond_border(points[i], nearest[i]) ? 1 : 0;
  }
}

SurfaceSamples ScanSurface::stratified_samples(double spacing_m, std::uint64_t) const {
  if (!(spacing_m > 0)) throw usage_error("spacing_m: must be positive, got {}", spacing_m);
  // Points are in the order of x: those of one slab of cells follow each other.
  const std::vector<std::uint32_t> slots = slots_in_order();
  const auto cell_at = [&](std::uint32_t i, int axis) {
    return std::floor((index_.position_m(slots[i])[axis] - bounds_m_.min()[axis]) / spacing_m);
  };
  using Cell = std::array<double, 2>;  // whole numbers, along y and z
  std::vector<std::pair<Cell, std::uint32_t>> slab;
  std::vector<std::uint32_t> kept;  // slots
  for (std::uint32_t begin = 0, end = 0; begin < points_; begin = end) {
    slab.clear();
    for (end = begin; end < points_ && cell_at(end, 0) == cell_at(begin, 0); ++end)
      slab.push_back({{cell_at(end, 1), cell_at(end, 2)}, end});
    std::ranges::sort(slab);
    for (std::size_t i = 0; i < slab.size(); ++i)
      if (i == 0 || slab[i].first != slab[i - 1].first) kept.push_back(slots[slab[i].second]);
  }
  SurfaceSamples samples;
  samples.spacing_m = spacing_m;
  samples.positions_m.reserve(kept.size());  // 24 bytes each, and not twice while a vector grows
  for (const std::uint32_t slot : kept) samples.positions_m.push_back(index_.position_m(slot));
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
