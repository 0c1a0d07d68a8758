#pragma once
// Depth maps of all cameras of a dataset, and which of their depths other cameras confirm.

#include <cstddef>
#include <span>
#include <vector>

#include "pipeline/depth_maps/consistency.h"
#include "pipeline/plane_sweep/kernels/options.h"
#include "pipeline/sparse/depth_ranges.h"
#include "pipeline/views/dataset_views.h"
#include "scenes/cloud/reconstruction.h"

namespace aqbench {

// How the depth maps of a dataset's cameras are made.
struct CameraDepthOptions {
  plane_sweep::Options sweep;
  std::size_t sources = 4;      // nearest cameras, beside the auxiliary ones
  int refinements = 2;          // passes of refinement.h
  float min_confidence = 0.3F;  // depths below it do not guide a refinement
};

// Makes one map for each view that is not auxiliary, in their order; pixels outside the camera's own image
// have no depth. ranges: one a view. Confidence: of the sweep (depth_extraction.h), or with refinements the
// mean similarity at the refined depth. Opens depth_estimation. Throws as plane_sweep::run() does;
// Error(method) if there is no such view, or one has nothing to be compared with.
std::vector<DepthMap> estimate_depths(std::span<const DatasetView> views,
                                      std::span<const sparse::DepthRange> ranges,
                                      const CameraDepthOptions& options);

// Returns the same maps with NaN where fewer than min_views other maps agree (consistency.h); fewer are asked
// for if there are no more other maps. Opens filtering.
std::vector<DepthMap> confirm_depths(std::span<const DatasetView> views, std::span<const DepthMap> maps,
                                     plane_sweep::ConsistencyOptions options);

}  // namespace aqbench
