#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/quantiles.h"
#include "metrics/change/cell_places.h"
#include "metrics/change/change.h"
#include "metrics/change/welch.h"

namespace aqbench {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kMinPointsOfPlane = 5;  // a plane and two degrees of freedom for its noise

// The sums of a least-squares plane z = p0 + p1 x + p2 y about the centre of a cell, in cells.
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
  // Adds the sums of another cell, whose centre lies there.
  void add(const PlaneSums& other, const Vec2& its_centre) {
    if (other.count == 0) return;
    if (count == 0) first_z = other.first_z;
    count += other.count;
    Eigen::Matrix3d moved = Eigen::Matrix3d::Identity();
    moved(1, 0) = its_centre.x();
    moved(2, 0) = its_centre.y();
    const double higher = other.first_z - first_z;
    const Vec3 raised = other.right + higher * other.normal.col(0);
    normal += moved * other.normal * moved.transpose();
    right += moved * raised;
    squares += other.squares + higher * (2 * other.right[0] + higher * other.normal(0, 0));
  }
};

struct CloudCells {
  std::vector<PlaneSums> sums;
  std::vector<bool> covered;  // has points, or lies between cells that have
};

CloudCells collect_cells(std::span<const Vec3> points_m, const GridPlace& place) {
  CloudCells cells{std::vector<PlaneSums>(place.columns * place.rows), {}};
  if (cells.sums.empty()) return cells;
  for (const Vec3& point : points_m) {
    if (!(point.x() >= place.x_min_m && point.x() <= place.x_max_m && point.y() >= place.y_min_m &&
          point.y() <= place.y_max_m))
      continue;
    const std::size_t cell = cell_of(place, point.head<2>());
    cells.sums[cell].add((point.head<2>() - centre_of(place, cell)) / place.cell_m, point.z());
  }
  for (std::size_t cell = 0; cell < cells.sums.size(); ++cell) {
    int around = 0, with_points = 0;
    if (cells.sums[cell].count == 0)
      each_around(place, cell, 1, [&](std::size_t other) {
        ++around;
        with_points += cells.sums[other].count > 0 ? 1 : 0;
      });
    cells.covered.push_back(cells.sums[cell].count > 0 || (with_points > 0 && 8 * with_points >= 5 * around));
  }
  return cells;
}

// Returns the points a square metre of a cell that lies inside of the cloud, NaN of any other one.
std::vector<double> densities_inside(const CloudCells& cells, const GridPlace& place) {
  std::vector<double> densities(cells.sums.size(), kNaN);
  for (std::size_t cell = 0; cell < densities.size(); ++cell) {
    bool is_inside = cells.covered[cell];
    each_around(place, cell, 1, [&](std::size_t other) { is_inside = is_inside && cells.covered[other]; });
    if (is_inside) densities[cell] = static_cast<double>(cells.sums[cell].count) / area_of_cell(place, cell);
  }
  return densities;
}

// The share of each cell that the cloud covers: of a cell at its border by the density of the cells inside.
std::vector<double> shares_by_density(const CloudCells& cells, const GridPlace& place) {
  const std::vector<double> densities = densities_inside(cells, place);
  std::vector<double> known;
  for (const double density : densities)
    if (density > 0) known.push_back(density);
  const double usual = known.empty() ? 0 : median_of(std::move(known));
  std::vector<double> shares(densities.size(), 0);
  for (std::size_t cell = 0; cell < shares.size(); ++cell) {
    if (!cells.covered[cell]) continue;
    shares[cell] = 1;
    if (densities[cell] >= 0 || !(usual > 0)) continue;
    double sum = 0, inside = 0;
    each_around(place, cell, 2, [&](std::size_t other) {
      if (!(densities[other] >= 0)) return;
      sum += densities[other];
      ++inside;
    });
    const double density = sum > 0 ? sum / inside : usual;
    shares[cell] =
        std::min(1.0, static_cast<double>(cells.sums[cell].count) / (density * area_of_cell(place, cell)));
  }
  return shares;
}

// The same, found in finer cells where these have many points: the border is the more exact, and large cells
// may all lie at it.
std::vector<double> shares_of(std::span<const Vec3> points_m, const CloudCells& cells,
                              const GridPlace& place) {
  constexpr double kPointsOfCell = 20;
  double points = 0, occupied = 0;
  for (const PlaneSums& sums : cells.sums) {
    points += static_cast<double>(sums.count);
    occupied += sums.count > 0 ? 1 : 0;
  }
  const double finer = std::floor(std::sqrt(points / (kPointsOfCell * occupied)));
  if (!(finer >= 2)) return shares_by_density(cells, place);
  GridPlace fine = place;
  fine.cell_m /= finer;
  fine.columns = static_cast<std::size_t>(std::round((place.x_max_m - place.x_min_m) / fine.cell_m));
  fine.rows = static_cast<std::size_t>(std::round((place.y_max_m - place.y_min_m) / fine.cell_m));
  const std::vector<double> fine_shares = shares_by_density(collect_cells(points_m, fine), fine);
  std::vector<double> covered_m2(cells.sums.size(), 0), all_m2(cells.sums.size(), 0);
  for (std::size_t i = 0; i < fine_shares.size(); ++i) {
    const std::size_t cell = cell_of(place, centre_of(fine, i));
    covered_m2[cell] += fine_shares[i] * area_of_cell(fine, i);
    all_m2[cell] += area_of_cell(fine, i);
  }
  for (std::size_t i = 0; i < covered_m2.size(); ++i) covered_m2[i] /= all_m2[i];
  return covered_m2;
}

// Writes the height at the centre of a cell, its standard error and what goes with it.
void fit_plane_of_cell(const PlaneSums& sums, std::size_t cell, double step_m, HeightGrid& grid) {
  const Eigen::LDLT<Eigen::Matrix3d> solver(sums.normal);
  if (sums.count < kMinPointsOfPlane || !(solver.rcond() > 1e-9)) return;  // few, or on a line
  const Vec3 plane = solver.solve(sums.right);
  const double degrees = static_cast<double>(sums.count - 3);
  const double variance_m2 = std::max(0.0, sums.squares - plane.dot(sums.right)) / degrees;
  grid.height_m[cell] = sums.first_z + plane[0];
  grid.standard_error_m[cell] = std::sqrt(variance_m2 * solver.solve(Vec3::UnitX())[0]);
  grid.degrees[cell] = degrees;
  if (step_m > 0) grid.rounding_m[cell] = rounding_of_mean(step_m, variance_m2);
}

}  // namespace

HeightGrid heights_of_cloud(std::span<const Vec3> points_m, const GridPlace& place, double step_m) {
  const CloudCells cells = collect_cells(points_m, place);
  const std::size_t count = cells.sums.size();
  HeightGrid grid{.place = place,
                  .height_m = std::vector<double>(count, kNaN),
                  .share = shares_of(points_m, cells, place),
                  .standard_error_m = std::vector<double>(count, kNaN),
                  .degrees = std::vector<double>(count, kNaN),
                  .lent = std::vector<bool>(count, false),
                  .rounding_m = std::vector<double>(step_m > 0 ? count : 0, 0.0),
                  .surface_m2 = {}};
  for (std::size_t cell = 0; cell < count; ++cell) {
    PlaneSums sums = cells.sums[cell];
    grid.lent[cell] = cells.covered[cell] && sums.count < kMinPointsOfPlane;
    if (grid.lent[cell])
      each_around(place, cell, 1, [&](std::size_t other) {
        sums.add(cells.sums[other], (centre_of(place, other) - centre_of(place, cell)) / place.cell_m);
      });
    fit_plane_of_cell(sums, cell, step_m, grid);
    // Nine cells share what one of them has: the sum over cells is as uncertain as if each had its own.
    if (grid.lent[cell]) grid.standard_error_m[cell] *= 3;
    if (!std::isfinite(grid.height_m[cell])) grid.share[cell] = 0;
  }
  return grid;
}

}  // namespace aqbench
