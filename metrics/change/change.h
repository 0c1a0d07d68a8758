#pragma once
// How a surface changed between two states: signed distances along its normal, with the smallest change that
// their noise lets one detect, and heights over one grid of cells: volumes, areas and rugosity, with
// intervals.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
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
  Vec3 up = {0, 0, -1};  // a distance is positive towards this side where the points have no normals
  Vec3 step_before_m = Vec3::Zero(), step_after_m = Vec3::Zero();  // in which coordinates are stored
};

// Returns scales that fit two clouds: the cylinder holds about 30 points of the sparser one, the sphere has
// twice its diameter, the depth is five times it. Throws Error(input) for a cloud of less than 30 points.
M3c2Options m3c2_scales(std::span<const Vec3> before_m, std::span<const Vec3> after_m);

// The change at one core point.
struct M3c2Change {
  Vec3 core_m = Vec3::Zero(), normal = Vec3::Zero();  // normal: unit, out of the surface; zero if none
  double distance_m =
      0;               // from the mean of `before` to the mean of `after` in the cylinder, along the normal
  double limit_m = 0;  // of detection; both are NaN where a state has less than 4 points in the cylinder
  double rounding_m = 0;                              // what the steps of coordinates add to the limit
  std::uint32_t points_before = 0, points_after = 0;  // in the cylinder

  // Returns whether the distance exceeds the limit; false where there is none.
  bool is_significant() const { return distance_m > limit_m || distance_m < -limit_m; }
};

// Measures the change at each core point: M3C2 (Lague, Brodu and Leroux, "Accurate 3D comparison of complex
// topography with terrestrial laser scanner", ISPRS Journal of Photogrammetry and Remote Sensing 82, 2013).
// The normal is that of the points of `before` in the sphere. Only points count whose own
// normals (find_sides(), metrics/change/sides.h) look to the same side, so that a thin body does not mix with
// its back, and of several surfaces in the cylinder the one nearest to the core, in `after` the one nearest
// to that. The limit of detection is t (sqrt(s1^2 / n1 + s2^2 / n2) + registration_m) with Student's t for
// the degrees of freedom of Welch (1947), which is the paper's 1.96 for many points, plus what rounding can
// move the means by. All points must be finite. Uses parallel_for; the result is the same for any thread
// count. Throws Error(usage) for a scale that is not positive.
std::vector<M3c2Change> measure_m3c2(const PointCloud& before, const PointCloud& after,
                                     std::span<const Vec3> cores_m, const M3c2Options& options);

// Square cells in the plane of the first two coordinates; heights are the third. The last column and row take
// what is left of the ground: between half a cell and one and a half.
struct GridPlace {
  double x_min_m = 0, y_min_m = 0, cell_m = 0;
  std::size_t columns = 0, rows = 0;
  double x_max_m = 0, y_max_m = 0;
};

// Returns a grid over the box that both clouds share; without columns and rows where that is narrower than a
// cell. Throws Error(usage) for more than 100 million cells.
GridPlace shared_grid(std::span<const Vec3> before_m, std::span<const Vec3> after_m, double cell_m);

// Heights at the centres of the cells, row by row.
struct HeightGrid {
  GridPlace place;
  std::vector<double> height_m;  // NaN where a cell has none
  std::vector<double> share;     // of the cell that the surface covers; 0 where it has no height
  // Of a cloud; empty for a mesh, whose noise is unknown.
  std::vector<double> standard_error_m;  // of the height
  std::vector<double> degrees;           // of freedom of that
  std::vector<bool> lent;                // the height is that of the cells around it: it shows no roughness
  // How far the steps of coordinates can move a height; empty where they have none.
  std::vector<double> rounding_m;
  std::vector<double> surface_m2;  // of a mesh: the area of its faces over the cell, seen from above
};

// Returns the height of a plane fitted to the points of each cell, at its centre, with its standard error
// (least squares). A cell of fewer than 5 points takes those of the cells around it, too; an empty one only
// between cells with points. Where the cloud ends within a cell, the density of the cells inside says which
// share of it is covered. `step_m`: heights are multiples of it; 0 if they are not.
HeightGrid heights_of_cloud(std::span<const Vec3> points_m, const GridPlace& place, double step_m = 0);

// Returns the mean height of the mesh over each cell, by the integrals of its triangles, cut along the cells.
// Where several parts or sides of the mesh lie above each other, the highest counts, at 32 x 32 places.
HeightGrid heights_of_mesh(const TriangleMesh& mesh, const GridPlace& place, double step_m = 0);

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
  // Area of the surfaces, and that over the ground: rugosity. Of a cloud the surface goes through the heights
  // of neighbouring cells. Unset with a reason where no four of them have heights of their own, and where
  // their noise makes slopes that cannot be told from roughness.
  std::optional<Estimate> area_before_m2, area_after_m2, rugosity_before, rugosity_after;
  std::string no_area_reason = {};
};

// Compares two grids of one place. `registration_m` is the standard error of the vertical registration, which
// moves all heights together; noise is taken as independent between cells. Noise makes a surface rougher:
// areas are corrected for that with 200 parametric bootstrap draws, whose basic interval is given.
HeightChange compare_heights(const HeightGrid& before, const HeightGrid& after, double registration_m = 0,
                             std::uint64_t seed = 42);

}  // namespace aqbench
