#pragma once
// Computes depth maps of all cameras of a dataset and filters them by mutual confirmation.

#include <cstddef>
#include <span>
#include <vector>

#include "pipeline/depth_maps/consistency.h"
#include "pipeline/plane_sweep/kernels/options.h"
#include "pipeline/sparse/depth_ranges.h"
#include "pipeline/views/dataset_views.h"
#include "scenes/cloud/reconstruction.h"

namespace aqbench {

// Options of the depth maps of a dataset.
struct CameraDepthOptions {
  plane_sweep::Options sweep;
  std::size_t sources = 4;      // nearest cameras, beside the auxiliary ones
  int refinements = 2;          // passes of refinement.h
  float min_confidence = 0.3F;  // depths below it do not guide a refinement
};

// Makes one map for each non-auxiliary view, in order; pixels outside the camera's own image have no depth.
// ranges: one per view. Confidence is that of the sweep (depth_extraction.h) or, with refinements, the mean
// similarity at the refined depth. Opens depth_estimation. Throws like plane_sweep::run(); Error(method) if
// every view is auxiliary or one has no other view to compare with.
std::vector<DepthMap> estimate_depths(std::span<const DatasetView> views,
                                      std::span<const sparse::DepthRange> ranges,
                                      const CameraDepthOptions& options);

// Returns the maps with NaN where fewer than min_views other maps agree (consistency.h), or fewer than all
// others if those are fewer. Opens filtering.
std::vector<DepthMap> confirm_depths(std::span<const DatasetView> views, std::span<const DepthMap> maps,
                                     plane_sweep::ConsistencyOptions options);

}  // namespace aqbench
