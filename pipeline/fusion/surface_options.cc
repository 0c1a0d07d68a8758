#include "pipeline/fusion/surface_options.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/error.h"

namespace aqbench {
namespace {

constexpr int kPoissonDepthMax = 12;

struct NamedSurface {
  const char* name;
  SurfaceMethod method;
};

constexpr NamedSurface kSurfaces[] = {
    {"poisson", SurfaceMethod::poisson},
    {"heightfield", SurfaceMethod::heightfield},
    {"ball_pivoting", SurfaceMethod::ball_pivoting},
    {"none", SurfaceMethod::none},
};

void require_surface(bool good, const char* field, const char* wanted) {
  if (!good) throw Error(ErrorKind::usage, std::string(field) + ": must be " + wanted);
}

bool has_parameter(const Parameters& parameters, std::string_view name) {
  return std::ranges::any_of(parameters.items(), [&](const auto& item) { return item.first == name; });
}

}  // namespace

const char* surface_method_name(SurfaceMethod method) {
  return std::ranges::find(kSurfaces, method, &NamedSurface::method)->name;
}

SurfaceMethod surface_method_from_name(std::string_view name) {
  for (const NamedSurface& surface : kSurfaces)
    if (name == surface.name) return surface.method;
  throw Error(ErrorKind::usage, "surface: must be poisson, heightfield, ball_pivoting or none, got '" +
                                    std::string(name) + "'");
}

std::vector<std::string> surface_method_names() {
  std::vector<std::string> names;
  for (const NamedSurface& surface : kSurfaces) names.emplace_back(surface.name);
  return names;
}

std::vector<ParameterSpec> surface_parameters(const SurfaceParameterTraits& traits) {
  const SurfaceOptions usual;
  std::vector<ParameterSpec> specs = {text_parameter("surface", surface_method_name(traits.default_method),
                                                     traits.surface_help, surface_method_names()),
                                      count_parameter("poisson_depth", "1", usual.poisson_depth, 1,
                                                      kPoissonDepthMax, traits.poisson_depth_help)};
  if (!traits.grid_help.empty())
    specs.push_back(number_parameter("surface_grid_m", "m", usual.grid_m, 1e-5, 1, traits.grid_help));
  specs.push_back(count_parameter("target_triangles", "1", usual.target_triangles, 0,
                                  traits.target_triangles_max, traits.target_triangles_help));
  return specs;
}

SurfaceOptions surface_options(const Parameters& parameters) {
  SurfaceOptions options;
  options.method = surface_method_from_name(parameters.text("surface"));
  options.poisson_depth = static_cast<int>(parameters.integer("poisson_depth"));
  if (has_parameter(parameters, "surface_grid_m")) options.grid_m = parameters.number("surface_grid_m");
  options.target_triangles = parameters.integer("target_triangles");
  return options;
}

SurfaceOptions surface_of(SurfaceOptions options, bool level_water) {
  if (!level_water && options.method == SurfaceMethod::heightfield) options.method = SurfaceMethod::poisson;
  return options;
}

void check(const SurfaceOptions& options) {
  require_surface(options.poisson_depth >= 1 && options.poisson_depth <= kPoissonDepthMax, "poisson_depth",
                  ("1 to " + std::to_string(kPoissonDepthMax)).c_str());
  require_surface(options.poisson_density_quantile >= 0 && options.poisson_density_quantile < 1,
                  "poisson_density_quantile", "at least 0 and below 1");
  require_surface(options.grid_m > 0 && std::isfinite(options.grid_m), "grid_m", "positive");
  require_surface(!options.ball_radii.empty(), "ball_radii", "one or more radii");
  for (const double radius : options.ball_radii)
    require_surface(radius > 0 && std::isfinite(radius), "ball_radii", "positive");
  require_surface(
      options.target_triangles >= 0 && options.target_triangles <= std::numeric_limits<int>::max(),
      "target_triangles", "0 to 2147483647");
}

}  // namespace aqbench
