#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <utility>

#include "core/error.h"
#include "core/parallel.h"
#include "core/quantiles.h"
#include "core/random.h"
#include "metrics/change/cell_places.h"
#include "metrics/change/change.h"
#include "metrics/change/welch.h"

namespace aqbench {
namespace {

constexpr std::size_t kDraws = 200;
constexpr double kConfidence = 0.95;
// Of slopes that noise makes: beyond, areas are more than 0.3 % too large even after their correction.
constexpr double kMaxNoisySlope = 0.2;

bool is_known(const HeightGrid& grid, std::size_t cell) { return std::isfinite(grid.height_m[cell]); }

// Returns the share of a cell that both states cover. Where one covers all of it the other one decides; where
// both end in it they end at one place, of which each is an estimate.
double shared_area_m2(const HeightGrid& before, const HeightGrid& after, std::size_t cell) {
  const double a = before.share[cell], b = after.share[cell];
  return (a == 1 ? b : b == 1 ? a : (a + b) / 2) * area_of_cell(before.place, cell);
}

// ---- Areas ----

// The quads of four neighbouring centres that have heights of their own in both grids, by their first cell.
std::vector<std::size_t> whole_quads(const HeightGrid& before, const HeightGrid& after) {
  std::vector<std::size_t> quads;
  const std::size_t columns = before.place.columns;
  const auto counts = [&](std::size_t cell) {
    for (const HeightGrid* const grid : {&before, &after})
      if (!is_known(*grid, cell) || (!grid->lent.empty() && grid->lent[cell])) return false;
    return true;
  };
  for (std::size_t row = 0; row + 1 < before.place.rows; ++row)
    for (std::size_t column = 0; column + 1 < columns; ++column) {
      const std::size_t cell = row * columns + column;
      if (counts(cell) && counts(cell + 1) && counts(cell + columns) && counts(cell + columns + 1))
        quads.push_back(cell);
    }
  return quads;
}

// Returns the area of the two triangles of each quad over that of its ground.
double rugosity_of(std::span<const double> height_m, const GridPlace& place,
                   std::span<const std::size_t> quads) {
  double area = 0, ground = 0;
  for (const std::size_t cell : quads) {
    const double h00 = height_m[cell], h10 = height_m[cell + 1], h01 = height_m[cell + place.columns],
                 h11 = height_m[cell + place.columns + 1];
    const Vec2 size = centre_of(place, cell + place.columns + 1) - centre_of(place, cell);
    const auto triangle = [&](double along, double across) {
      return std::sqrt(size.prod() * size.prod() + along * along * size.y() * size.y() +
                       across * across * size.x() * size.x()) /
             2;
    };
    area += triangle(h10 - h00, h01 - h00) + triangle(h11 - h01, h11 - h10);
    ground += size.prod();
  }
  return area / ground;
}

// Returns the rugosity without what noise adds to it, and its basic bootstrap interval (Davison and Hinkley
// 1997).
Estimate rugosity_of_cloud(const HeightGrid& grid, std::span<const std::size_t> quads, std::uint64_t seed,
                           std::uint32_t side) {
  const double found = rugosity_of(grid.height_m, grid.place, quads);
  std::vector<double> draws(kDraws);
  parallel_for(kDraws, 1, [&](std::size_t draw, std::size_t) {
    std::vector<double> moved_m = grid.height_m;
    for (std::size_t i = 0; i < moved_m.size(); ++i)
      if (std::isfinite(moved_m[i]))
        moved_m[i] += grid.standard_error_m[i] * normal_pair({seed, RandomStream::bootstrap}, i,
                                                             static_cast<std::uint32_t>(2 * draw + side))[0];
    draws[draw] = rugosity_of(moved_m, grid.place, quads);
  });
  std::ranges::sort(draws);
  double mean = 0;
  for (const double draw : draws) mean += draw / kDraws;
  return {2 * found - mean, 2 * found - quantile_of_sorted(draws, 0.975),
          2 * found - quantile_of_sorted(draws, 0.025)};
}

// Returns the area of a mesh over that of the ground below it, over the cells in which both have a height.
Estimate rugosity_of_mesh(const HeightGrid& mesh, const HeightGrid& other) {
  double surface_m2 = 0, ground_m2 = 0;
  for (std::size_t i = 0; i < mesh.height_m.size(); ++i) {
    if (!is_known(mesh, i) || !is_known(other, i)) continue;
    surface_m2 += mesh.surface_m2[i];
    ground_m2 += mesh.share[i] * area_of_cell(mesh.place, i);
  }
  return {surface_m2 / ground_m2};
}

// Returns why a cloud has no rugosity; nothing if it has one.
std::string why_no_rugosity(const HeightGrid& grid, std::span<const std::size_t> quads) {
  if (!grid.surface_m2.empty()) return {};
  if (quads.empty()) return "no four neighbouring cells have 5 points of each cloud: give a larger --cell-mm";
  double sum_m2 = 0;
  for (const std::size_t cell : quads) sum_m2 += std::pow(grid.standard_error_m[cell], 2);
  const double noise_m = std::sqrt(sum_m2 / static_cast<double>(quads.size()));
  if (std::sqrt(2.0) * noise_m <= kMaxNoisySlope * grid.place.cell_m) return {};
  return fmt::format(
      "the noise of the heights, {:.3g} mm, makes a flat surface rough at cells of {:.3g} mm: give a larger "
      "--cell-mm",
      1000 * noise_m, 1000 * grid.place.cell_m);
}

Estimate times(const Estimate& rugosity, double ground_m2) {
  Estimate area{rugosity.value * ground_m2};
  if (rugosity.low) area.low = *rugosity.low * ground_m2;
  if (rugosity.high) area.high = *rugosity.high * ground_m2;
  return area;
}

void compare_areas(const HeightGrid& before, const HeightGrid& after, std::uint64_t seed,
                   HeightChange& change) {
  const std::vector<std::size_t> quads = whole_quads(before, after);
  for (const HeightGrid* const grid : {&before, &after})
    if (change.no_area_reason.empty()) change.no_area_reason = why_no_rugosity(*grid, quads);
  if (!change.no_area_reason.empty()) return;
  const auto rugosity = [&](const HeightGrid& grid, const HeightGrid& other, std::uint32_t side) {
    return grid.surface_m2.empty() ? rugosity_of_cloud(grid, quads, seed, side)
                                   : rugosity_of_mesh(grid, other);
  };
  change.rugosity_before = rugosity(before, after, 0);
  change.rugosity_after = rugosity(after, before, 1);
  change.area_before_m2 = times(*change.rugosity_before, change.ground_area_m2);
  change.area_after_m2 = times(*change.rugosity_after, change.ground_area_m2);
}

// ---- Volumes ----

// The variance of a difference of heights, its degrees of freedom, and how far rounding moves it.
struct Noise {
  double variance_m2 = 0, degrees = HUGE_VAL, rounding_m = 0;
};

Noise noise_of(const HeightGrid& before, const HeightGrid& after, std::size_t cell) {
  Noise noise;
  for (const HeightGrid* const grid : {&before, &after})
    if (!grid->rounding_m.empty()) noise.rounding_m += grid->rounding_m[cell];
  if (before.standard_error_m.empty() || after.standard_error_m.empty()) return noise;
  const double a = std::pow(before.standard_error_m[cell], 2), b = std::pow(after.standard_error_m[cell], 2);
  noise.variance_m2 = a + b;
  noise.degrees = welch_degrees(a, before.degrees[cell], b, after.degrees[cell]);
  return noise;
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
  GridPlace place{.cell_m = cell_m};
  if (shared.isEmpty() || !(shared.sizes().minCoeff() >= (1 - 1e-9) * cell_m)) return place;
  const double columns = std::round(shared.sizes().x() / cell_m),
               rows = std::round(shared.sizes().y() / cell_m);
  constexpr double kMaxCells = 1e8;
  if (!(columns * rows <= kMaxCells))
    throw Error(ErrorKind::usage, "cells of this size give more than 100 million cells");
  return {shared.min().x(),
          shared.min().y(),
          cell_m,
          static_cast<std::size_t>(columns),
          static_cast<std::size_t>(rows),
          shared.max().x(),
          shared.max().y()};
}

HeightChange compare_heights(const HeightGrid& before, const HeightGrid& after, double registration_m,
                             std::uint64_t seed) {
  HeightChange change;
  const bool noise_known = !before.standard_error_m.empty() && !after.standard_error_m.empty();
  double variance_m6 = 0, per_degree = 0, rounding_m3 = 0;
  for (std::size_t i = 0; i < before.height_m.size(); ++i) {
    const double difference_m = after.height_m[i] - before.height_m[i];
    if (!std::isfinite(difference_m)) {
      change.cells_unmatched += is_known(before, i) || is_known(after, i) ? 1 : 0;
      continue;
    }
    const double area_m2 = shared_area_m2(before, after, i);
    ++change.cells;
    change.ground_area_m2 += area_m2;
    change.volume_m3.value += difference_m * area_m2;
    const Noise noise = noise_of(before, after, i);
    const double cell_m6 = noise.variance_m2 * area_m2 * area_m2;
    variance_m6 += cell_m6;
    per_degree += cell_m6 * cell_m6 / noise.degrees;
    rounding_m3 += noise.rounding_m * area_m2;
    const double limit_m =
        noise.rounding_m + (noise_known ? standard_errors(noise.degrees, kConfidence) *
                                              (std::sqrt(noise.variance_m2) + registration_m)
                                        : 0);
    if (difference_m > limit_m) change.gained_m3 += difference_m * area_m2;
    if (difference_m < -limit_m) change.lost_m3 -= difference_m * area_m2;
  }
  if (change.cells == 0) return change;
  if (noise_known) {
    const double degrees = per_degree > 0 ? variance_m6 * variance_m6 / per_degree : HUGE_VAL;
    const double half_m3 =
        rounding_m3 + standard_errors(degrees, kConfidence) *
                          std::hypot(std::sqrt(variance_m6), registration_m * change.ground_area_m2);
    change.volume_m3.low = change.volume_m3.value - half_m3;
    change.volume_m3.high = change.volume_m3.value + half_m3;
  }
  compare_areas(before, after, seed, change);
  return change;
}

}  // namespace aqbench
