#include "pipeline/fusion/heightfield_surface.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <utility>

#include "core/error.h"
#include "core/parallel.h"
#include "core/quantiles.h"
#include "pipeline/fusion/morton_cells.h"
#include "pipeline/fusion/quadratic_fit.h"

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

// Returns the fitted height at (x, y); NaN if there are too few points around it.
double height_at(const HeightSamples& samples, double x_m, double y_m,
                 std::vector<std::pair<std::uint32_t, std::uint32_t>>& runs, std::vector<double>& heights_m,
                 LocalColumns& local) {
  const double radius_m = samples.grid.cell_m;
  neighbour_runs(samples.cells, samples.grid.key({x_m, y_m, 0}), 1, runs);
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
  const double z_m = median_m + double{fitted_height(local)} * radius_m;
  return z_m >= lowest - 0.5 * radius_m && z_m <= highest + 0.5 * radius_m ? z_m : NAN;
}

HeightGrid fit_heights(const HeightSamples& samples, const Vec3& low_m, const Vec3& high_m, double grid_m) {
  HeightGrid grid;
  grid.first_x = static_cast<std::int64_t>(std::floor(low_m.x() / grid_m));
  grid.first_y = static_cast<std::int64_t>(std::floor(low_m.y() / grid_m));
  const double columns = std::ceil(high_m.x() / grid_m) - static_cast<double>(grid.first_x) + 1;
  const double rows = std::ceil(high_m.y() / grid_m) - static_cast<double>(grid.first_y) + 1;
  if (!(columns * rows <= kMaxVertices))
    throw Error(ErrorKind::method, "surface_reconstruction: heightfield would have more than 2^26 vertices");
  grid.columns = static_cast<std::size_t>(columns);
  grid.rows = static_cast<std::size_t>(rows);
  grid.z_m.resize(grid.columns * grid.rows);
  parallel_for(grid.rows, 1, [&](std::size_t row, std::size_t) {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> runs;
    std::vector<double> heights_m;
    LocalColumns local;
    const double y_m = static_cast<double>(grid.first_y + static_cast<std::int64_t>(row)) * grid_m;
    for (std::size_t column = 0; column < grid.columns; ++column) {
      const double x_m = static_cast<double>(grid.first_x + static_cast<std::int64_t>(column)) * grid_m;
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

}  // namespace

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

}  // namespace aqbench
