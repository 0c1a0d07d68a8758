#pragma once
// How a mesh is made through a cloud: the options, and the parameters of methods that set them.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/parameters.h"

namespace aqbench {

// The ways to make a mesh.
enum class SurfaceMethod {
  none,
  // Screened Poisson reconstruction (Kazhdan and Hoppe 2013) of Open3D, on one thread: its result on several
  // threads is not repeatable.
  poisson,
  heightfield,    // heights over a grid in x and y, by robust quadratic fits (heightfield_surface.h)
  ball_pivoting,  // Bernardini et al. 1999, of Open3D
};

// How the mesh is made.
struct SurfaceOptions {
  SurfaceMethod method = SurfaceMethod::poisson;
  int poisson_depth = 9;                    // of the octree
  double poisson_density_quantile = 0.01;   // the share of vertices, those of lowest density, that is dropped
  double grid_m = 0.002;                    // of a heightfield
  std::vector<double> ball_radii{1, 2, 4};  // of ball pivoting, in mean spacings of the points
  std::int64_t target_triangles = 0;        // that quadric decimation leaves; 0: no decimation
};

// Throws Error(usage) "field: what is wrong".
void check(const SurfaceOptions& options);

// Returns "none", "poisson", "heightfield" or "ball_pivoting".
const char* surface_method_name(SurfaceMethod method);

// Returns the method of that name. Throws Error(usage) listing the names.
SurfaceMethod surface_method_from_name(std::string_view name);

// Returns all names, in the order in which they are listed to the user.
std::vector<std::string> surface_method_names();

// What differs between methods in the parameters of their surfaces: default, help texts and ranges.
struct SurfaceParameterTraits {
  SurfaceMethod default_method = SurfaceMethod::none;
  std::string surface_help;
  std::string poisson_depth_help;
  std::string grid_help;  // empty: the method has no parameter surface_grid_m
  std::string target_triangles_help;
  double target_triangles_max = 0;
};

// Returns the parameters surface, poisson_depth, surface_grid_m (where there is one) and target_triangles.
std::vector<ParameterSpec> surface_parameters(const SurfaceParameterTraits& traits);

// Returns the options that these parameters set.
SurfaceOptions surface_options(const Parameters& parameters);

}  // namespace aqbench
