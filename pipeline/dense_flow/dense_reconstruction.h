#pragma once
// From a dense matcher of image pairs to depth maps, a cloud and a surface: what dense_flow and torchscript
// share.

#include <span>

#include "pipeline/dense_flow/pair_matching.h"
#include "pipeline/dense_flow/photometric_refinement.h"
#include "pipeline/dense_flow/ray_triangulation.h"
#include "pipeline/depth_maps/consistency.h"
#include "pipeline/fusion/fusion.h"
#include "pipeline/fusion/surface_reconstruction.h"

namespace aqbench::dense_flow {

// How depths, cloud and surface are made of the matches.
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

// Makes the depth maps of all cameras that are not auxiliary, after the consistency filter; the cloud of all
// of them; the surface unless it is to be none. The same for any thread count, if the matcher is. Opens the
// stages depth_range, dense_matching, triangulation, depth_refinement, filtering, fusion and
// surface_reconstruction. Throws Error(input) for fewer than two cameras or images below 32 px, Error(method)
// "STAGE: ..." where a stage is left with nothing.
Reconstruction reconstruct_densely(std::span<const DatasetView> views, const PairMatcher& matcher,
                                   const DenseOptions& options);

}  // namespace aqbench::dense_flow
