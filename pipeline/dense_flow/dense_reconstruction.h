#pragma once
// From matched image pairs to depth maps, a cloud and a surface; shared by dense_flow and torchscript.

#include <span>

#include "pipeline/dense_flow/pair_matching.h"
#include "pipeline/dense_flow/photometric_refinement.h"
#include "pipeline/dense_flow/ray_triangulation.h"
#include "pipeline/depth_maps/consistency.h"
#include "pipeline/fusion/fusion.h"
#include "pipeline/fusion/surface_reconstruction.h"

namespace aqbench::dense_flow {

// How matches become depths, cloud and surface.
struct DenseOptions {
  int nearest_sources = 4;  // ring neighbours of each reference, besides every auxiliary camera
  bool align = true;  // warp sources to the reference before matching; false: match the images as they are
  int passes = 1;     // of matching; each but the first warps the sources by the depths found before
  TriangulationOptions triangulation;
  RefinementOptions refinement;
  plane_sweep::ConsistencyOptions consistency;
  FusionOptions fusion;
  SurfaceOptions surface;
};

// Throws Error(usage) naming the field.
void check(const DenseOptions& options);

// Computes the consistency-filtered depth maps of all non-auxiliary cameras, their fused cloud, and the
// surface if requested. Independent of the thread count if the matcher is. Opens the stages depth_range,
// dense_matching, triangulation, depth_refinement, filtering, fusion and surface_reconstruction. Throws
// Error(input) for fewer than two cameras or images below 32 px, Error(method) "STAGE: ..." if a stage ends
// without a result.
Reconstruction reconstruct_densely(std::span<const DatasetView> views, const PairMatcher& matcher,
                                   const DenseOptions& options);

}  // namespace aqbench::dense_flow
