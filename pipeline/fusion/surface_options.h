#pragma once
// Options of surface reconstruction, and the parameters of methods that set them.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/parameters.h"

namespace aqbench {

// The meshing methods.
enum class SurfaceMethod {
  none,
  // Screened Poisson reconstruction (Kazhdan and Hoppe 2013) by Open3D, on one thread: with several its
  // result is not repeatable.
  poisson,
  heightfield,    // heights over a grid in x and y, by robust quadratic fits (surface_reconstruction.cc)
  ball_pivoting,  // Bernardini et al. 1999, by Open3D
};

// Options of the mesh.
struct SurfaceOptions {
  SurfaceMethod method = SurfaceMethod::poisson;
  int poisson_depth = 9;                    // the share of vertices of lowest density that is dropped
  double poisson_density_quantile = 0.01;   // the share of vertices, those of lowest density, that is dropped
  double grid_m = 0.002;                    // of a heightfield
  std::vector<double> ball_radii{1, 2, 4};  // of ball pivoting, in mean spacings of the points
  std::int64_t target_triangles = 0;        // left by quadric decimation; 0: no decimation
};

// Throws Error(usage) "field: problem".
void check(const SurfaceOptions& options);

// Returns "none", "poisson", "heightfield" or "ball_pivoting".
const char* surface_method_name(SurfaceMethod method);

// Returns the method of that name. Throws Error(usage) listing the names.
SurfaceMethod surface_method_from_name(std::string_view name);

// Returns all names in listing order.
std::vector<std::string> surface_method_names();

// Returns the options, with Poisson's method for a height field where cameras look through no level water: no
// direction is up then.
SurfaceOptions surface_of(SurfaceOptions options, bool level_water);

// Per-method differences of the surface parameters: default, help texts and ranges.
struct SurfaceParameterTraits {
  SurfaceMethod default_method = SurfaceMethod::none;
  std::string surface_help;
  std::string poisson_depth_help;
  std::string grid_help;  // empty: the method has no parameter surface_grid_m
  std::string target_triangles_help;
  double target_triangles_max = 0;
};

// Returns the parameters surface, poisson_depth, surface_grid_m (if any) and target_triangles.
std::vector<ParameterSpec> surface_parameters(const SurfaceParameterTraits& traits);

// Returns the options that these parameters set.
SurfaceOptions surface_options(const Parameters& parameters);

}  // namespace aqbench
