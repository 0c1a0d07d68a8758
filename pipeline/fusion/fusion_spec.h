#pragma once
// How a cloud becomes a surface: the choices and their names. Part of the program, not of a module.

#include <string>
#include <string_view>
#include <vector>

namespace aqbench {

// How a surface is laid through a cloud.
enum class SurfaceMethod {
  none,
  // Screened Poisson (Kazhdan and Hoppe 2013) of Open3D, on one thread: on more it is not repeatable.
  poisson,
  heightfield,    // z over a grid in x and y, robust quadratic fits (heightfield_surface.h)
  ball_pivoting,  // Bernardini et al. 1999, Open3D
};

// Returns the method of a name: "none", "poisson", "heightfield", "ball_pivoting". Throws Error(usage)
// listing them.
SurfaceMethod surface_method_from_name(std::string_view name);

// Returns the name of a method, and all names.
const char* to_string(SurfaceMethod method);
std::vector<std::string> surface_method_names();

}  // namespace aqbench
