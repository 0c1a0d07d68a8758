#include "pipeline/fusion/cloud_options.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "core/error.h"

namespace aqbench {
namespace {

constexpr int kPoissonDepthMax = 12;

constexpr std::array kSurfaceNames{"poisson", "heightfield", "ball_pivoting", "none"};

bool has_parameter(const Parameters& parameters, std::string_view name) {
  return std::ranges::any_of(parameters.items(), [&](const auto& item) { return item.first == name; });
}

}  // namespace

std::vector<ParameterSpec> fusion_parameters(const std::string& voxel_help) {
  const FusionOptions usual;
  return {number_parameter("voxel_m", "m", usual.voxel_m, 1e-5, 1, voxel_help),
          number_parameter("fusion_radius_m", "m", usual.refine_radius_m, 0, 1,
                           "radius of the fits that fuse depths; 0: voxel means only")};
}

FusionOptions fusion_options(const Parameters& parameters) {
  return {.voxel_m = parameters.number("voxel_m"), .refine_radius_m = parameters.number("fusion_radius_m")};
}

const char* surface_method_name(SurfaceMethod method) {
  return kSurfaceNames[static_cast<std::size_t>(method)];
}

std::vector<ParameterSpec> surface_parameters(SurfaceMethod default_method, bool with_grid,
                                              double most_triangles) {
  const SurfaceOptions usual;
  std::vector<ParameterSpec> specs = {
      text_parameter("surface", surface_method_name(default_method),
                     "surface reconstruction method; heightfield without level water: poisson",
                     {kSurfaceNames.begin(), kSurfaceNames.end()}),
      count_parameter("poisson_depth", "1", usual.poisson_depth, 1, kPoissonDepthMax,
                      "depth of the octree of surface=poisson")};
  if (with_grid)
    specs.push_back(
        number_parameter("surface_grid_m", "m", usual.grid_m, 1e-5, 1, "grid of surface=heightfield"));
  specs.push_back(count_parameter("target_triangles", "1", usual.target_triangles, 0, most_triangles,
                                  "triangles kept in the mesh; 0: all"));
  return specs;
}

SurfaceOptions surface_options(const Parameters& parameters) {
  SurfaceOptions options;
  const auto named = std::ranges::find(kSurfaceNames, parameters.text("surface"));
  if (named == kSurfaceNames.end()) throw usage_error("surface: unknown '{}'", parameters.text("surface"));
  options.method = static_cast<SurfaceMethod>(named - kSurfaceNames.begin());
  options.poisson_depth = static_cast<int>(parameters.integer("poisson_depth"));
  if (has_parameter(parameters, "surface_grid_m")) options.grid_m = parameters.number("surface_grid_m");
  options.target_triangles = parameters.integer("target_triangles");
  return options;
}

SurfaceOptions surface_of(SurfaceOptions options, bool level_water) {
  if (!level_water && options.method == SurfaceMethod::heightfield) options.method = SurfaceMethod::poisson;
  return options;
}

}  // namespace aqbench
