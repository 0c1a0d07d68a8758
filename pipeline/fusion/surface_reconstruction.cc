#include "pipeline/fusion/fusion.h"

#include <malloc.h>
#include <open3d/geometry/PointCloud.h>
#include <open3d/geometry/TriangleMesh.h>
#include <open3d/utility/Logging.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <numeric>
#include <utility>

#include "core/error.h"
#include "core/parallel.h"
#include "core/quantiles.h"
#include "core/stage_scope.h"
#include "core/text.h"

namespace aqbench {
namespace {

constexpr double kMaxVertices = 1 << 26;
constexpr double kRadiusSteps = 2, kRadiusSpacings = 3;
constexpr std::uint32_t kNoVertex = ~std::uint32_t{0};

// Sorts the points into square cells of the fit's radius.
struct HeightSamples {
  CellGrid grid;
  std::vector<Vec3> points_m;
  std::vector<float> weight;
  MortonCells cells;
};

struct HeightGrid {
  std::int64_t first_x = 0, first_y = 0;  // of the first vertex, in grid steps
  std::size_t columns = 0, rows = 0;
  std::vector<double> z_m;  // [row][column], NaN = none
};

std::vector<std::size_t> finite_points(const PointCloud& cloud) {
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < cloud.points_m.size(); ++i)
    if (cloud.points_m[i].allFinite()) kept.push_back(i);
  return kept;
}

// Returns the spacing of points spread evenly over their box.
double box_spacing_m(const Vec3& low_m, const Vec3& high_m, std::size_t count) {
  const Vec3 size = high_m - low_m;
  return std::sqrt(std::max(size.x() * size.y(), 0.0) / static_cast<double>(std::max<std::size_t>(count, 1)));
}

HeightSamples sort_samples(const PointCloud& cloud, const std::vector<std::size_t>& kept, double radius_m,
                           Vec3 low_m, Vec3 high_m) {
  HeightSamples samples;
  low_m.z() = high_m.z() = 0;  // one layer of cells
  samples.grid = make_cell_grid(low_m, high_m, radius_m);
  std::vector<KeyedIndex> items;
  items.reserve(kept.size());
  for (const std::size_t i : kept) {
    const Vec3& point = cloud.points_m[i];
    items.push_back({samples.grid.key({point.x(), point.y(), 0}), i});
  }
  sort_keys(items);
  std::vector<std::uint64_t> keys;
  for (const KeyedIndex& item : items) {
    keys.push_back(item.key);
    samples.points_m.push_back(cloud.points_m[item.index]);
    const float confidence = cloud.confidence.empty() ? 1.0F : cloud.confidence[item.index];
    samples.weight.push_back(std::isfinite(confidence) && confidence > 0 ? confidence : 0.0F);
  }
  samples.cells = make_cells(keys, 0);
  return samples;
}

// Returns the height fitted at (x, y) to the samples of the cells around it; NaN if there are too few points
// around it.
double height_at(const HeightSamples& samples, double x_m, double y_m,
                 const std::vector<std::pair<std::uint32_t, std::uint32_t>>& runs,
                 std::vector<double>& heights_m, LocalColumns& local) {
  const double radius_m = samples.grid.cell_m;
  for (std::vector<float>* column : {&local.u, &local.v, &local.h, &local.k}) column->clear();
  heights_m.clear();
  unsigned quadrants = 0;
  for (const auto& [begin, end] : runs)
    for (std::uint32_t i = begin; i < end; ++i) {
      const double u = (samples.points_m[i].x() - x_m) / radius_m,
                   v = (samples.points_m[i].y() - y_m) / radius_m;
      const double rest = 1 - (u * u + v * v);
      if (!(rest > 0)) continue;
      quadrants |= 1U << ((u > 0 ? 1U : 0U) + (v > 0 ? 2U : 0U));
      local.u.push_back(static_cast<float>(u));
      local.v.push_back(static_cast<float>(v));
      local.k.push_back(static_cast<float>(rest * rest) * samples.weight[i]);
      heights_m.push_back(samples.points_m[i].z());
    }
  if (std::popcount(quadrants) < 3) return NAN;
  std::vector<float>& h = local.h;
  h.resize(heights_m.size());
  std::vector<double> sorted = heights_m;
  const double median_m = upper_median_in_place<double>(sorted);
  const auto [lowest, highest] = std::ranges::minmax(heights_m);
  for (std::size_t i = 0; i < h.size(); ++i) h[i] = static_cast<float>((heights_m[i] - median_m) / radius_m);
  local.compact();
  float height = NAN;
  fit_surfaces({&local, 1}, {&height, 1});
  const double z_m = median_m + double{height} * radius_m;
  return z_m >= lowest - 0.5 * radius_m && z_m <= highest + 0.5 * radius_m ? z_m : NAN;
}

HeightGrid fit_heights(const HeightSamples& samples, const Vec3& low_m, const Vec3& high_m, double grid_m) {
  HeightGrid grid;
  grid.first_x = static_cast<std::int64_t>(std::floor(low_m.x() / grid_m));
  grid.first_y = static_cast<std::int64_t>(std::floor(low_m.y() / grid_m));
  const double columns = std::ceil(high_m.x() / grid_m) - static_cast<double>(grid.first_x) + 1;
  const double rows = std::ceil(high_m.y() / grid_m) - static_cast<double>(grid.first_y) + 1;
  if (!(columns * rows <= kMaxVertices))
    throw method_error("surface_reconstruction: heightfield would have more than 2^26 vertices");
  grid.columns = static_cast<std::size_t>(columns);
  grid.rows = static_cast<std::size_t>(rows);
  grid.z_m.resize(grid.columns * grid.rows);
  parallel_for(grid.rows, 1, [&](std::size_t row, std::size_t) {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> runs;
    std::vector<double> heights_m;
    LocalColumns local;
    std::uint64_t gathered = ~std::uint64_t{0};  // no cell has that key
    const double y_m = static_cast<double>(grid.first_y + static_cast<std::int64_t>(row)) * grid_m;
    for (std::size_t column = 0; column < grid.columns; ++column) {
      const double x_m = static_cast<double>(grid.first_x + static_cast<std::int64_t>(column)) * grid_m;
      const std::uint64_t key = samples.grid.key({x_m, y_m, 0});
      if (key != gathered) neighbour_runs(samples.cells, key, 0, 1, runs);
      gathered = key;
      grid.z_m[row * grid.columns + column] = height_at(samples, x_m, y_m, runs, heights_m, local);
    }
  });
  return grid;
}

// Adds two triangles for a square with four corners, split along the flatter diagonal, or one for a square
// with three.
void cut_square(const std::array<std::uint32_t, 4>& corners, const TriangleMesh& mesh,
                std::vector<std::array<std::uint32_t, 3>>& triangles) {
  const auto present = 4 - std::ranges::count(corners, kNoVertex);
  if (present < 3) return;
  if (present == 3) {
    std::array<std::uint32_t, 3> triangle{};
    std::ranges::copy_if(corners, triangle.begin(), [](std::uint32_t corner) { return corner != kNoVertex; });
    triangles.push_back(triangle);
    return;
  }
  const auto drop = [&](int a, int b) {
    return std::abs(mesh.vertices_m[corners[static_cast<std::size_t>(a)]].z() -
                    mesh.vertices_m[corners[static_cast<std::size_t>(b)]].z());
  };
  if (drop(0, 2) <= drop(1, 3)) {
    triangles.push_back({corners[0], corners[1], corners[2]});
    triangles.push_back({corners[0], corners[2], corners[3]});
  } else {
    triangles.push_back({corners[1], corners[2], corners[3]});
    triangles.push_back({corners[1], corners[3], corners[0]});
  }
}

TriangleMesh connect(const HeightGrid& grid, double grid_m) {
  TriangleMesh mesh;
  std::vector<std::uint32_t> vertex(grid.z_m.size(), kNoVertex);
  for (std::size_t i = 0; i < grid.z_m.size(); ++i) {
    if (std::isnan(grid.z_m[i])) continue;
    vertex[i] = static_cast<std::uint32_t>(mesh.vertices_m.size());
    mesh.vertices_m.emplace_back(
        static_cast<double>(grid.first_x + static_cast<std::int64_t>(i % grid.columns)) * grid_m,
        static_cast<double>(grid.first_y + static_cast<std::int64_t>(i / grid.columns)) * grid_m,
        grid.z_m[i]);
  }
  for (std::size_t row = 0; row + 1 < grid.rows; ++row)
    for (std::size_t column = 0; column + 1 < grid.columns; ++column) {
      const std::size_t at = row * grid.columns + column;
      // Reversed, so that the normals point to -Z.
      cut_square({vertex[at], vertex[at + grid.columns], vertex[at + grid.columns + 1], vertex[at + 1]}, mesh,
                 mesh.triangles);
    }
  return mesh;
}

// Makes a mesh with vertices at multiples of grid_m in x and y, at the height of a robust quadratic fit to
// the points within two grid steps (three point spacings where they are sparse). A vertex needs points in
// three of its four quadrants, so the mesh ends where the points end. Triangles face up, to -Z. Ignores
// points that are not finite. The mesh is empty if no vertex has enough points. Uses parallel_for; the result
// is the same for any thread count. Throws Error(method) for more than 2^26 vertices.
TriangleMesh heightfield_surface(const PointCloud& cloud, double grid_m) {
  const std::vector<std::size_t> kept = finite_points(cloud);
  if (kept.empty()) return {};
  Vec3 low_m = cloud.points_m[kept[0]], high_m = low_m;
  for (const std::size_t i : kept) {
    low_m = low_m.cwiseMin(cloud.points_m[i]);
    high_m = high_m.cwiseMax(cloud.points_m[i]);
  }
  const double radius_m =
      std::max(kRadiusSteps * grid_m, kRadiusSpacings * box_spacing_m(low_m, high_m, kept.size()));
  return connect(fit_heights(sort_samples(cloud, kept, radius_m, low_m, high_m), low_m, high_m, grid_m),
                 grid_m);
}

// Keeps Open3D's warnings off stdout, which is for results.
class QuietOpen3d {
 public:
  QuietOpen3d() { open3d::utility::SetVerbosityLevel(open3d::utility::VerbosityLevel::Error); }
  ~QuietOpen3d() { open3d::utility::SetVerbosityLevel(before_); }
  QuietOpen3d(const QuietOpen3d&) = delete;
  QuietOpen3d& operator=(const QuietOpen3d&) = delete;

 private:
  open3d::utility::VerbosityLevel before_ = open3d::utility::GetVerbosityLevel();
};

[[noreturn]] void fail_surface(SurfaceMethod method, const std::string& why) {
  throw method_error("surface_reconstruction: {} {}", surface_method_name(method), why);
}

open3d::geometry::PointCloud oriented_points(const PointCloud& cloud, SurfaceMethod method) {
  constexpr std::size_t kFewestPoints = 10;
  open3d::geometry::PointCloud points;
  for (std::size_t i = 0; i < cloud.points_m.size() && i < cloud.normals.size(); ++i) {
    if (!cloud.points_m[i].allFinite() || !cloud.normals[i].allFinite()) continue;
    points.points_.push_back(cloud.points_m[i]);
    points.normals_.push_back(cloud.normals[i]);
  }
  if (points.points_.size() < kFewestPoints)
    fail_surface(method, fmt::format("needs at least {} points with normals, got {} of {}", kFewestPoints,
                                     points.points_.size(), cloud.points_m.size()));
  return points;
}

std::shared_ptr<open3d::geometry::TriangleMesh> poisson_mesh(const PointCloud& cloud,
                                                             const SurfaceOptions& options) {
  auto [mesh, densities] = open3d::geometry::TriangleMesh::CreateFromPointCloudPoisson(
      oriented_points(cloud, options.method), static_cast<std::size_t>(options.poisson_depth), 0.0F, 1.1F,
      false, 1);
  std::vector<double> sorted = densities;
  const auto dropped =
      static_cast<std::size_t>(options.poisson_density_quantile * static_cast<double>(sorted.size()));
  if (dropped == 0) return mesh;
  const auto limit = sorted.begin() + static_cast<std::ptrdiff_t>(dropped);
  std::nth_element(sorted.begin(), limit, sorted.end());
  std::vector<bool> low(densities.size());
  for (std::size_t i = 0; i < densities.size(); ++i) low[i] = densities[i] < *limit;
  mesh->RemoveVerticesByMask(low);
  return mesh;
}

std::shared_ptr<open3d::geometry::TriangleMesh> ball_pivoting_mesh(const PointCloud& cloud,
                                                                   const SurfaceOptions& options) {
  const open3d::geometry::PointCloud points = oriented_points(cloud, options.method);
  const std::vector<double> nearest_m = points.ComputeNearestNeighborDistance();
  const double spacing_m =
      std::accumulate(nearest_m.begin(), nearest_m.end(), 0.0) / static_cast<double>(nearest_m.size());
  if (!(spacing_m > 0)) fail_surface(options.method, "all points coincide");
  std::vector<double> radii_m;
  for (const double radius : options.ball_radii) radii_m.push_back(radius * spacing_m);
  return open3d::geometry::TriangleMesh::CreateFromPointCloudBallPivoting(points, radii_m);
}

open3d::geometry::TriangleMesh to_open3d(const TriangleMesh& mesh) {
  open3d::geometry::TriangleMesh converted;
  converted.vertices_ = mesh.vertices_m;
  for (const auto& [a, b, c] : mesh.triangles)
    converted.triangles_.emplace_back(static_cast<int>(a), static_cast<int>(b), static_cast<int>(c));
  return converted;
}

TriangleMesh from_open3d(const open3d::geometry::TriangleMesh& mesh) {
  TriangleMesh converted;
  converted.vertices_m = mesh.vertices_;
  for (const Eigen::Vector3i& triangle : mesh.triangles_)
    converted.triangles.push_back({static_cast<std::uint32_t>(triangle[0]),
                                   static_cast<std::uint32_t>(triangle[1]),
                                   static_cast<std::uint32_t>(triangle[2])});
  return converted;
}

TriangleMesh build(const PointCloud& cloud, const SurfaceOptions& options) {
  if (options.method == SurfaceMethod::heightfield) return heightfield_surface(cloud, options.grid_m);
  try {
    const auto mesh = options.method == SurfaceMethod::poisson ? poisson_mesh(cloud, options)
                                                               : ball_pivoting_mesh(cloud, options);
    mesh->RemoveUnreferencedVertices();
    return from_open3d(*mesh);
  } catch (const Error&) {
    throw;
  } catch (const std::runtime_error& error) {  // Open3D's messages have several lines and colours
    fail_surface(options.method, "failed in Open3D: " + escape_bytes(error.what()));
  }
}

}  // namespace

std::optional<TriangleMesh> reconstruct_surface(const PointCloud& cloud, const SurfaceOptions& options) {
  if (options.method == SurfaceMethod::none) return std::nullopt;
  const StageScope scope("surface_reconstruction");
  const QuietOpen3d quiet;
  ::malloc_trim(0);  // what fusion took and freed is more than a surface needs
  TriangleMesh mesh = build(cloud, options);
  if (mesh.triangles.empty())
    fail_surface(options.method, fmt::format("found no triangle among {} points", cloud.points_m.size()));
  const auto target = static_cast<std::size_t>(options.target_triangles);
  if (target > 0 && mesh.triangles.size() > target)
    mesh = from_open3d(*to_open3d(mesh).SimplifyQuadricDecimation(
        static_cast<int>(target), std::numeric_limits<double>::infinity(), 1.0));
  return mesh;
}

}  // namespace aqbench
