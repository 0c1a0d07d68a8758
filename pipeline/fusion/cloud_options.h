#pragma once
// The options of fusion and of surface reconstruction, and the parameters of methods that set them.

#include <cstdint>
#include <string>
#include <vector>

#include "core/parameters.h"

namespace aqbench {

// How the points of several cameras become one cloud (steps: pipeline/fusion/fusion.h).
struct FusionOptions {
  double voxel_m = 0.001;
  double refine_radius_m = 0.004;   // of the local fits; 0: no fit, keep voxel means
  double normal_radius_voxels = 5;  // largest distance of a normal's neighbours
  int normal_neighbours = 30;       // largest number of points in a normal's fit; the nearest ones
  // A point is removed if the mean distance to its nearest `outlier_neighbours` others exceeds both the mean
  // of all points by `outlier_std` standard deviations and twice the median of all points: distances double
  // at corners of an evenly sampled surface, so edge points stay. 0 neighbours: keeps all.
  int outlier_neighbours = 20;
  double outlier_std = 2.0;
};

// Returns the parameters voxel_m and fusion_radius_m, with the defaults of FusionOptions.
std::vector<ParameterSpec> fusion_parameters(const std::string& voxel_help);

// Returns the options that these parameters set.
FusionOptions fusion_options(const Parameters& parameters);

// The meshing methods.
enum class SurfaceMethod {
  // Screened Poisson reconstruction (Kazhdan and Hoppe 2013) by Open3D, on one thread: with several its
  // result is not repeatable.
  poisson,
  heightfield,    // heights over a grid in x and y, by robust quadratic fits (surface_reconstruction.cc)
  ball_pivoting,  // Bernardini et al. 1999, by Open3D
  none,
};

// Options of the mesh.
struct SurfaceOptions {
  SurfaceMethod method = SurfaceMethod::poisson;
  int poisson_depth = 9;                    // of the octree
  double poisson_density_quantile = 0.01;   // the share of vertices, those of lowest density, that is dropped
  double grid_m = 0.002;                    // of a heightfield
  std::vector<double> ball_radii{1, 2, 4};  // of ball pivoting, in mean spacings of the points
  std::int64_t target_triangles = 0;        // left by quadric decimation; 0: no decimation
};

// Returns "poisson", "heightfield", "ball_pivoting" or "none".
const char* surface_method_name(SurfaceMethod method);

// Returns the options, with Poisson's method for a height field where cameras look through no level water: no
// direction is up then.
SurfaceOptions surface_of(SurfaceOptions options, bool level_water);

// Returns the parameters surface, poisson_depth, surface_grid_m (if asked for) and target_triangles.
std::vector<ParameterSpec> surface_parameters(SurfaceMethod default_method, bool with_grid,
                                              double most_triangles);

// Returns the options that these parameters set.
SurfaceOptions surface_options(const Parameters& parameters);

}  // namespace aqbench
