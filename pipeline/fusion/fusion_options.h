#pragma once
// The options of fusion, and the parameters of methods that set them.

#include <string>
#include <vector>

#include "core/parameters.h"

namespace aqbench {

// How the points of several cameras become one cloud (pipeline/fusion/fusion.h describes the steps).
struct FusionOptions {
  double voxel_m = 0.001;
  double refine_radius_m = 0.004;   // of the local fits; 0: no fit, the means within voxels stay
  double normal_radius_voxels = 5;  // a normal's neighbours lie no further away than this
  int normal_neighbours = 30;       // points that a normal is fitted to, at most; the nearest ones
  // A point is removed if the mean distance to its nearest `outlier_neighbours` others is more than
  // `outlier_std` standard deviations above the mean of all points, and more than twice the median of all
  // points: at the corner of an evenly sampled surface the distances double, and points on edges are no
  // outliers. 0 neighbours: none is removed.
  int outlier_neighbours = 20;
  double outlier_std = 2.0;
};

// Throws Error(usage) "field: what is wrong".
void check(const FusionOptions& options);

// Help texts of the parameters of fusion; each method has its own wording.
struct FusionHelp {
  std::string voxel_m, fusion_radius_m;
};

// Returns the parameters voxel_m and fusion_radius_m, with the defaults of FusionOptions.
std::vector<ParameterSpec> fusion_parameters(const FusionHelp& help);

// Returns the options that these parameters set.
FusionOptions fusion_options(const Parameters& parameters);

}  // namespace aqbench
