#pragma once
// How a surface changed between two states: signed distances along its normal, with the smallest change that
// their noise lets one detect, and heights over one grid of cells: volumes, areas and rugosity, with
// intervals.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "scenes/cloud/reconstruction.h"

namespace aqbench {

// The scales of M3C2, metres.
struct M3c2Options {
  double normal_diameter_m = 0;    // of the sphere whose points give the normal
  double cylinder_diameter_m = 0;  // of the cylinder along it whose points are averaged
  double depth_m = 0;              // half the length of the cylinder: the largest distance found
  double registration_m = 0;       // standard error of the registration of one state to the other
  double confidence = 0.95;        // of the limit of detection
  Vec3 up = {0, 0, -1};            // a distance is positive towards this side
};

// Returns scales that fit two clouds: the cylinder holds about 30 points of the sparser one, the sphere has
// twice its diameter, the depth is five times it. Throws Error(input) for a cloud of less than 30 points.
M3c2Options m3c2_scales(std::span<const Vec3> before_m, std::span<const Vec3> after_m);

// The change at one core point.
struct M3c2Change {
  Vec3 core_m = Vec3::Zero(), normal = Vec3::Zero();  // normal: unit, towards `up`; zero where there is none
  double distance_m =
      0;               // from the mean of `before` to the mean of `after` in the cylinder, along the normal
  double limit_m = 0;  // of detection; both are NaN where a state has less than 4 points in the cylinder
  std::uint32_t points_before = 0, points_after = 0;  // in the cylinder

  // Returns whether the distance exceeds the limit; false where there is none.
  bool is_significant() const { return distance_m > limit_m || distance_m < -limit_m; }
};

// Measures the change at each core point: M3C2 (Lague, Brodu and Leroux, "Accurate 3D comparison of complex
// topography with terrestrial laser scanner", ISPRS Journal of Photogrammetry and Remote Sensing 82, 2013).
// The normal is that of the points of `before` in the sphere. The limit of detection is t (sqrt(s1^2 / n1 +
// s2^2 / n2) + registration_m) with Student's t for the degrees of freedom of Welch (1947), which is the
// paper's 1.96 for many points. All points must be finite. Uses parallel_for; the result is the same for any
// thread count. Throws Error(usage) for a scale that is not positive.
std::vector<M3c2Change> measure_m3c2(std::span<const Vec3> before_m, std::span<const Vec3> after_m,
                                     std::span<const Vec3> cores_m, const M3c2Options& options);

// Square cells in the plane of the first two coordinates; heights are the third.
struct GridPlace {
  double x_min_m = 0, y_min_m = 0, cell_m = 0;
  std::size_t columns = 0, rows = 0;
};

// Returns a grid over the box that both clouds share, in columns of whole cells. Throws Error(input) where
// they do not overlap, Error(usage) for a cell that gives none or more than 100 million cells.
GridPlace shared_grid(std::span<const Vec3> before_m, std::span<const Vec3> after_m, double cell_m);

// Heights at the centres of the cells, row by row.
struct HeightGrid {
  GridPlace place;
  std::vector<double> height_m;          // NaN where a cell has none
  std::vector<double> standard_error_m;  // of the height; empty for a mesh, whose noise is unknown
};

// Returns the height of a plane fitted to the points of each cell, at its centre, with its standard error
// (least squares). A cell of less than 5 points has none.
HeightGrid heights_of_cloud(std::span<const Vec3> points_m, const GridPlace& place);

// Returns the height of the mesh over each centre; of several the largest.
HeightGrid heights_of_mesh(const TriangleMesh& mesh, const GridPlace& place);

// A value and the ends of its 95 % interval; unset where the noise is unknown.
struct Estimate {
  double value = 0;
  std::optional<double> low = {}, high = {};
};

// What two states differ in, over the cells in which both have a height.
struct HeightChange {
  std::size_t cells = 0;            // with both heights
  std::size_t cells_unmatched = 0;  // with one of them
  double ground_area_m2 = 0;        // of the cells with both
  Estimate volume_m3;               // after minus before
  // Of the cells whose difference exceeds its own 95 % limit of detection; all cells where the noise is
  // unknown.
  double gained_m3 = 0, lost_m3 = 0;
  // Area of the surfaces through the heights, and that area over its ground area: rugosity; unset where no
  // four neighbouring cells have both heights.
  std::optional<Estimate> area_before_m2, area_after_m2, rugosity_before, rugosity_after;
};

// Compares two grids of one place. `registration_m` is the standard error of the vertical registration, which
// moves all heights together; noise is taken as independent between cells. Noise makes a surface rougher:
// areas are corrected for that with 200 parametric bootstrap draws, whose basic interval is given.
HeightChange compare_heights(const HeightGrid& before, const HeightGrid& after, double registration_m = 0,
                             std::uint64_t seed = 42);

}  // namespace aqbench
