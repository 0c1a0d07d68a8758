#include "metrics/change/change.h"

#include <Eigen/Cholesky>
#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "core/error.h"
#include "core/parallel.h"
#include "core/quantiles.h"
#include "core/random.h"

namespace aqbench {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kNormal95 = 1.959963984540054;
constexpr std::size_t kDraws = 200;
constexpr std::size_t kMinPointsOfPlane = 5;  // a plane and two degrees of freedom for its noise

// Returns the column or row of a coordinate; `count` where it is outside.
std::size_t cell_of(double x, double min, double cell, std::size_t count) {
  const double place = std::floor((x - min) / cell);
  return place >= 0 && place < static_cast<double>(count) ? static_cast<std::size_t>(place) : count;
}

Vec2 centre_of(const GridPlace& place, std::size_t cell) {
  const auto column = static_cast<double>(cell % place.columns),
             row = static_cast<double>(cell / place.columns);
  return {place.x_min_m + (column + 0.5) * place.cell_m, place.y_min_m + (row + 0.5) * place.cell_m};
}

// The sums of a least-squares plane z = p0 + p1 x + p2 y about the centre of a cell.
struct PlaneSums {
  std::size_t count = 0;
  Eigen::Matrix3d normal = Eigen::Matrix3d::Zero();
  Vec3 right = Vec3::Zero();
  double squares = 0, first_z = 0;

  void add(const Vec2& from_centre, double z) {
    if (count++ == 0) first_z = z;
    const Vec3 row(1, from_centre.x(), from_centre.y());
    normal += row * row.transpose();
    right += row * (z - first_z);
    squares += (z - first_z) * (z - first_z);
  }
};

// Writes the height at the centre and its standard error.
void fit_plane_of_cell(const PlaneSums& sums, double& height_m, double& standard_error_m) {
  if (sums.count < kMinPointsOfPlane) return;
  const Eigen::LDLT<Eigen::Matrix3d> solver(sums.normal);
  if (!(solver.rcond() > 1e-9)) return;  // points on a line
  const Vec3 plane = solver.solve(sums.right);
  const double residual = std::max(0.0, sums.squares - plane.dot(sums.right));
  height_m = sums.first_z + plane[0];
  standard_error_m =
      std::sqrt(residual / static_cast<double>(sums.count - 3) * solver.solve(Vec3::UnitX())[0]);
}

// Draws one triangle: each centre inside it or on its edge takes the height where that is larger.
void draw_triangle(const std::array<Vec3, 3>& corners, HeightGrid& grid) {
  const GridPlace& place = grid.place;
  const auto ends = [&](int axis, double min, std::size_t count) {
    const auto [low, high] = std::minmax({corners[0][axis], corners[1][axis], corners[2][axis]});
    const double first = std::ceil((low - min) / place.cell_m - 0.5),
                 last = std::floor((high - min) / place.cell_m - 0.5);
    return std::pair(static_cast<std::ptrdiff_t>(std::clamp(first, 0.0, static_cast<double>(count))),
                     static_cast<std::ptrdiff_t>(std::clamp(last, -1.0, static_cast<double>(count) - 1)));
  };
  const auto cross = [](const Vec2& a, const Vec2& b) { return a.x() * b.y() - a.y() * b.x(); };
  const Vec2 a = corners[0].head<2>(), b = corners[1].head<2>(), c = corners[2].head<2>();
  const double twice_area = cross(b - a, c - a);
  if (twice_area == 0) return;  // vertical
  const auto [first_column, last_column] = ends(0, place.x_min_m, place.columns);
  const auto [first_row, last_row] = ends(1, place.y_min_m, place.rows);
  for (std::ptrdiff_t row = first_row; row <= last_row; ++row)
    for (std::ptrdiff_t column = first_column; column <= last_column; ++column) {
      const std::size_t cell =
          static_cast<std::size_t>(row) * place.columns + static_cast<std::size_t>(column);
      const Vec2 centre = centre_of(place, cell);
      const double of_a = cross(b - centre, c - centre) / twice_area,
                   of_b = cross(c - centre, a - centre) / twice_area, of_c = 1 - of_a - of_b;
      if (std::min({of_a, of_b, of_c}) < -1e-12) continue;  // a centre on a common edge belongs to both
      const double height_m = of_a * corners[0].z() + of_b * corners[1].z() + of_c * corners[2].z();
      double& kept = grid.height_m[cell];
      if (!(kept >= height_m)) kept = height_m;
    }
}

// The quads of four neighbouring centres that have a height in both grids, by their first cell.
std::vector<std::size_t> whole_quads(const HeightGrid& before, const HeightGrid& after) {
  std::vector<std::size_t> quads;
  const std::size_t columns = before.place.columns;
  for (std::size_t row = 0; row + 1 < before.place.rows; ++row)
    for (std::size_t column = 0; column + 1 < columns; ++column) {
      const std::size_t cell = row * columns + column;
      double sum = 0;
      for (const std::size_t corner : {cell, cell + 1, cell + columns, cell + columns + 1})
        sum += before.height_m[corner] + after.height_m[corner];
      if (std::isfinite(sum)) quads.push_back(cell);
    }
  return quads;
}

// Returns the area of the two triangles of each quad.
double area_of(std::span<const double> height_m, const GridPlace& place, std::span<const std::size_t> quads) {
  double area = 0;
  const double c = place.cell_m;
  for (const std::size_t cell : quads) {
    const double h00 = height_m[cell], h10 = height_m[cell + 1], h01 = height_m[cell + place.columns],
                 h11 = height_m[cell + place.columns + 1];
    const auto triangle = [&](double along, double across) {
      return c / 2 * std::sqrt(c * c + along * along + across * across);
    };
    area += triangle(h10 - h00, h01 - h00) + triangle(h11 - h01, h11 - h10);
  }
  return area;
}

// Returns the area without what noise adds to it, and its basic bootstrap interval (Davison and Hinkley
// 1997).
Estimate estimate_area(const HeightGrid& grid, std::span<const std::size_t> quads, std::uint64_t seed,
                       std::uint32_t side) {
  const double found = area_of(grid.height_m, grid.place, quads);
  if (grid.standard_error_m.empty()) return {found};
  std::vector<double> draws(kDraws);
  parallel_for(kDraws, 1, [&](std::size_t draw, std::size_t) {
    std::vector<double> moved_m = grid.height_m;
    for (std::size_t i = 0; i < moved_m.size(); ++i)
      if (std::isfinite(moved_m[i]))
        moved_m[i] += grid.standard_error_m[i] * normal_pair({seed, RandomStream::bootstrap}, i,
                                                             static_cast<std::uint32_t>(2 * draw + side))[0];
    draws[draw] = area_of(moved_m, grid.place, quads);
  });
  std::ranges::sort(draws);
  double mean = 0;
  for (const double draw : draws) mean += draw / kDraws;
  return {2 * found - mean, 2 * found - quantile_of_sorted(draws, 0.975),
          2 * found - quantile_of_sorted(draws, 0.025)};
}

Estimate divided(const Estimate& area, double ground_m2) {
  Estimate ratio{area.value / ground_m2};
  if (area.low) ratio.low = *area.low / ground_m2;
  if (area.high) ratio.high = *area.high / ground_m2;
  return ratio;
}

void compare_areas(const HeightGrid& before, const HeightGrid& after, std::uint64_t seed,
                   HeightChange& change) {
  const std::vector<std::size_t> quads = whole_quads(before, after);
  if (quads.empty()) return;
  const double ground_m2 = static_cast<double>(quads.size()) * before.place.cell_m * before.place.cell_m;
  change.area_before_m2 = estimate_area(before, quads, seed, 0);
  change.area_after_m2 = estimate_area(after, quads, seed, 1);
  change.rugosity_before = divided(*change.area_before_m2, ground_m2);
  change.rugosity_after = divided(*change.area_after_m2, ground_m2);
}

}  // namespace

GridPlace shared_grid(std::span<const Vec3> before_m, std::span<const Vec3> after_m, double cell_m) {
  Eigen::AlignedBox2d shared;
  bool first = true;
  for (const auto& points_m : {before_m, after_m}) {
    Eigen::AlignedBox2d box;
    for (const Vec3& point : points_m) box.extend(Vec2(point.head<2>()));
    shared = std::exchange(first, false) ? box : shared.intersection(box);
  }
  if (shared.isEmpty())
    throw Error(ErrorKind::input, "BEFORE and AFTER do not overlap; are they in one frame and unit?");
  const double columns = std::floor(shared.sizes().x() / cell_m),
               rows = std::floor(shared.sizes().y() / cell_m);
  constexpr double kMaxCells = 1e8;
  if (!(columns >= 1 && rows >= 1 && columns * rows <= kMaxCells))
    throw Error(ErrorKind::usage, "cells of this size give no grid, or more than 100 million cells");
  return {shared.min().x(), shared.min().y(), cell_m, static_cast<std::size_t>(columns),
          static_cast<std::size_t>(rows)};
}

HeightGrid heights_of_cloud(std::span<const Vec3> points_m, const GridPlace& place) {
  const std::size_t count = place.columns * place.rows;
  std::vector<PlaneSums> sums(count);
  for (const Vec3& point : points_m) {
    const std::size_t column = cell_of(point.x(), place.x_min_m, place.cell_m, place.columns);
    const std::size_t row = cell_of(point.y(), place.y_min_m, place.cell_m, place.rows);
    if (column == place.columns || row == place.rows) continue;
    const std::size_t cell = row * place.columns + column;
    sums[cell].add((point.head<2>() - centre_of(place, cell)) / place.cell_m, point.z());
  }
  HeightGrid grid{place, std::vector<double>(count, kNaN), std::vector<double>(count, kNaN)};
  for (std::size_t i = 0; i < count; ++i)
    fit_plane_of_cell(sums[i], grid.height_m[i], grid.standard_error_m[i]);
  return grid;
}

HeightGrid heights_of_mesh(const TriangleMesh& mesh, const GridPlace& place) {
  HeightGrid grid{place, std::vector<double>(place.columns * place.rows, kNaN), {}};
  for (const auto& triangle : mesh.triangles)
    draw_triangle({mesh.vertices_m[triangle[0]], mesh.vertices_m[triangle[1]], mesh.vertices_m[triangle[2]]},
                  grid);
  return grid;
}

HeightChange compare_heights(const HeightGrid& before, const HeightGrid& after, double registration_m,
                             std::uint64_t seed) {
  HeightChange change;
  const double cell_m2 = before.place.cell_m * before.place.cell_m;
  const bool noise_known = !before.standard_error_m.empty() && !after.standard_error_m.empty();
  double variance_m2 = 0;
  for (std::size_t i = 0; i < before.height_m.size(); ++i) {
    const double difference_m = after.height_m[i] - before.height_m[i];
    if (!std::isfinite(difference_m)) {
      change.cells_unmatched += std::isfinite(before.height_m[i]) || std::isfinite(after.height_m[i]) ? 1 : 0;
      continue;
    }
    ++change.cells;
    change.volume_m3.value += difference_m * cell_m2;
    double limit_m = 0;
    if (noise_known) {
      const double a = before.standard_error_m[i], b = after.standard_error_m[i];
      variance_m2 += a * a + b * b;
      limit_m = kNormal95 * (std::sqrt(a * a + b * b) + registration_m);
    }
    if (difference_m > limit_m) change.gained_m3 += difference_m * cell_m2;
    if (difference_m < -limit_m) change.lost_m3 -= difference_m * cell_m2;
  }
  change.ground_area_m2 = static_cast<double>(change.cells) * cell_m2;
  if (noise_known) {
    const double half_m3 =
        kNormal95 * std::hypot(cell_m2 * std::sqrt(variance_m2), registration_m * change.ground_area_m2);
    change.volume_m3.low = change.volume_m3.value - half_m3;
    change.volume_m3.high = change.volume_m3.value + half_m3;
  }
  compare_areas(before, after, seed, change);
  return change;
}

}  // namespace aqbench
