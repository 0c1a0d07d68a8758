#pragma once
// The options of fusion, and the parameters of methods that set them.

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

// Throws Error(usage) "field: problem".
void check(const FusionOptions& options);

// Help texts of the fusion parameters; each method has its own.
struct FusionHelp {
  std::string voxel_m, fusion_radius_m;
};

// Returns the parameters voxel_m and fusion_radius_m, with the defaults of FusionOptions.
std::vector<ParameterSpec> fusion_parameters(const FusionHelp& help);

// Returns the options that these parameters set.
FusionOptions fusion_options(const Parameters& parameters);

}  // namespace aqbench
