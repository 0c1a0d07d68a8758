#include "pipeline/fusion/fusion_options.h"

#include <cmath>

#include "core/error.h"

namespace aqbench {
namespace {

void require_option(bool good, const char* field, const char* wanted, double value) {
  if (!good)
    throw Error(ErrorKind::usage,
                std::string(field) + ": must be " + wanted + ", got " + std::to_string(value));
}

}  // namespace

void check(const FusionOptions& options) {
  const auto finite = [](double value) { return std::isfinite(value); };
  require_option(options.voxel_m > 0 && finite(options.voxel_m), "voxel_m", "positive", options.voxel_m);
  require_option(options.refine_radius_m >= 0 && finite(options.refine_radius_m), "refine_radius_m",
                 "0 or more", options.refine_radius_m);
  require_option(options.normal_radius_voxels > 0 && finite(options.normal_radius_voxels),
                 "normal_radius_voxels", "positive", options.normal_radius_voxels);
  require_option(options.normal_neighbours >= 3, "normal_neighbours", "at least 3",
                 options.normal_neighbours);
  require_option(options.outlier_neighbours >= 0, "outlier_neighbours", "0 or more",
                 options.outlier_neighbours);
  require_option(options.outlier_std > 0 && finite(options.outlier_std), "outlier_std", "positive",
                 options.outlier_std);
}

std::vector<ParameterSpec> fusion_parameters(const FusionHelp& help) {
  const FusionOptions usual;
  return {number_parameter("voxel_m", "m", usual.voxel_m, 1e-5, 1, help.voxel_m),
          number_parameter("fusion_radius_m", "m", usual.refine_radius_m, 0, 1, help.fusion_radius_m)};
}

FusionOptions fusion_options(const Parameters& parameters) {
  FusionOptions options;
  options.voxel_m = parameters.number("voxel_m");
  options.refine_radius_m = parameters.number("fusion_radius_m");
  return options;
}

}  // namespace aqbench
