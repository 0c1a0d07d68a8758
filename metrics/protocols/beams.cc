#include "metrics/protocols/beams.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>

#include "core/parallel.h"

namespace aqbench {
namespace {

template <class T>
using Vec = Eigen::Matrix<T, 3, 1>;

// A direction as azimuth and inclination, radians.
struct Angles {
  double azimuth, inclination;
};

Angles angles_of(const Vec3& point) {
  return {std::atan2(point.y(), point.x()), std::acos(std::clamp(point.z() / point.norm(), -1.0, 1.0))};
}

// The points of one scan, sorted into cells of azimuth and inclination. The cells only save work: which beams
// a point lies in is decided by distances.
template <class T>
struct BeamGrid {
  struct Point {
    Vec<T> point, direction;
    T radius;
  };
  long columns = 0, rows = 0;
  std::vector<std::uint32_t> first;  // of each cell, in `points`; one more than cells
  std::vector<Point> points;

  std::size_t cell(long column, long row) const {
    return static_cast<std::size_t>(row * columns + (column % columns + columns) % columns);
  }
  long column_of(double azimuth) const {
    return static_cast<long>(std::floor(azimuth / (2 * std::numbers::pi) * static_cast<double>(columns)));
  }
  long row_of(double inclination) const {
    const double row = std::floor(inclination / std::numbers::pi * static_cast<double>(rows));
    return std::clamp(static_cast<long>(row), 0L, rows - 1);
  }
};

template <class T>
BeamGrid<T> make_grid(const std::vector<Vec3>& scan_m) {
  BeamGrid<T> grid;
  grid.rows = std::clamp(std::lround(std::sqrt(static_cast<double>(scan_m.size()))), 8L, 1024L);
  grid.columns = 2 * grid.rows;
  std::vector<std::uint32_t> cells(scan_m.size(), std::numeric_limits<std::uint32_t>::max());
  grid.first.assign(static_cast<std::size_t>(grid.rows * grid.columns) + 1, 0);
  for (std::size_t i = 0; i < scan_m.size(); ++i) {
    if (!scan_m[i].allFinite() || !(scan_m[i].norm() > 0)) continue;
    const Angles angles = angles_of(scan_m[i]);
    const std::size_t cell = grid.cell(grid.column_of(angles.azimuth), grid.row_of(angles.inclination));
    cells[i] = static_cast<std::uint32_t>(cell);
    ++grid.first[cell + 1];
  }
  for (std::size_t c = 1; c < grid.first.size(); ++c) grid.first[c] += grid.first[c - 1];
  grid.points.resize(grid.first.back());
  std::vector<std::uint32_t> next(grid.first.begin(), grid.first.end() - 1);
  for (std::size_t i = 0; i < scan_m.size(); ++i) {
    if (cells[i] == std::numeric_limits<std::uint32_t>::max()) continue;
    const Vec<T> point = scan_m[i].cast<T>();
    grid.points[next[cells[i]]++] = {point, point.normalized(), point.norm()};
  }
  return grid;
}

template <class T>
struct Finding {
  T squared = std::numeric_limits<T>::infinity();
  bool seen_through = false;
};

template <class T>
void hold_against(const Vec<T>& point, T beam_radius, const typename BeamGrid<T>::Point& scanned,
                  Finding<T>& finding) {
  const T along = scanned.direction.dot(point);
  if (along < 0) return;
  if ((point - along * scanned.direction).squaredNorm() > beam_radius * beam_radius) return;
  finding.squared = std::min(finding.squared, (scanned.point - point).squaredNorm());
  if (along < scanned.radius) finding.seen_through = true;
}

// Holds a point, in the scanner's frame, against all beams near it: the cells that a sphere of the beam's
// radius around it covers, and a little more.
template <class T>
void search_grid(const BeamGrid<T>& grid, const Vec<T>& point, T start_radius, T tangent,
                 Finding<T>& finding) {
  constexpr double kRoom = 1e-4;  // radians, above all rounding of 32 bits
  const Vec3 wide = point.template cast<double>();
  const T beam_radius = start_radius + point.norm() * tangent;
  const double radius = wide.norm(), reach = static_cast<double>(beam_radius) * (1 + 1e-5);
  long row = 0, last_row = grid.rows - 1, column = 0, last_column = grid.columns - 1;
  if (reach < radius) {
    const Angles angles = angles_of(wide);
    const double rise = std::asin(reach / radius) + kRoom;
    row = grid.row_of(angles.inclination - rise);
    last_row = grid.row_of(angles.inclination + rise);
    const double across = std::hypot(wide.x(), wide.y());
    const double turn = reach < across ? std::asin(reach / across) + kRoom : std::numbers::pi;
    if (turn < 3) {
      column = grid.column_of(angles.azimuth - turn);
      last_column = std::min(grid.column_of(angles.azimuth + turn), column + grid.columns - 1);
    }
  }
  for (; row <= last_row; ++row) {
    for (long c = column; c <= last_column; ++c) {
      const std::size_t cell = grid.cell(c, row);
      for (std::uint32_t i = grid.first[cell]; i < grid.first[cell + 1]; ++i)
        hold_against(point, beam_radius, grid.points[i], finding);
    }
  }
}

template <class T>
BeamFindings compare(std::span<const Vec3> points_m, std::span<const BeamScan> scans, const Beam& beam) {
  std::vector<Finding<T>> findings(points_m.size());
  const T start_radius = static_cast<T>(beam.radius_m);
  const T tangent = static_cast<T>(std::tan(static_cast<double>(static_cast<T>(beam.halfangle_deg)) *
                                            static_cast<double>(static_cast<T>(std::numbers::pi / 180))));
  for (const BeamScan& scan : scans) {
    const BeamGrid<T> grid = make_grid<T>(scan.points_m);
    const Eigen::Matrix<T, 3, 3> turn = scan.world_from_scanner.topLeftCorner<3, 3>().transpose().cast<T>();
    const Vec<T> shift = turn * (-scan.world_from_scanner.topRightCorner<3, 1>().cast<T>());
    parallel_for(points_m.size(), 1 << 10, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        const Vec<T> point = turn * points_m[i].cast<T>() + shift;
        search_grid(grid, point, start_radius, tangent, findings[i]);
      }
    });
  }
  BeamFindings found;
  for (const Finding<T>& finding : findings) {
    found.distance_m.push_back(std::sqrt(static_cast<double>(finding.squared)));
    found.seen_through.push_back(finding.seen_through);
  }
  return found;
}

}  // namespace

BeamFindings compare_with_beams(std::span<const Vec3> points_m, std::span<const BeamScan> scans,
                                const Beam& beam, bool single) {
  return single ? compare<float>(points_m, scans, beam) : compare<double>(points_m, scans, beam);
}

}  // namespace aqbench
