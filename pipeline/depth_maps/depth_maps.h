#pragma once
// Depth maps of all cameras of a dataset: their filters and refinement, and the resolution of a view, whose
// lengths scale steps, tolerances and voxels, so that they mean the same for any image size.

#include <cstddef>
#include <span>
#include <vector>

#include "pipeline/plane_sweep/kernels/plane_sweep.h"
#include "pipeline/sparse/sparse.h"
#include "pipeline/views/dataset_views.h"
#include "scenes/cloud/reconstruction.h"

namespace aqbench::plane_sweep {

// A filtered depth map, [y][x].
struct FilteredDepth {
  std::vector<float> depth_m;     // NaN where too few views agree
  std::vector<float> confidence;  // 0 there
  std::vector<int> views;         // other views that agree, counted until it is known whether they are
                                  // enough; 0 where there was no confident depth
};

// Filters the depth map of views[reference]: projects each point into every other view, which agrees if its
// depth there is within the tolerance of the point's depth along that view's ray. The depth there is bilinear
// over the neighbours that have one; it is missing if the others have more than 1 % of the weight. Uses
// parallel_for. agreeing: the views that agree, where a device counted them.
FilteredDepth filter_by_consistency(std::span<const DepthView> views, std::size_t reference,
                                    const ConsistencyOptions& options, std::vector<int> agreeing = {});

// Options of a guide.
struct GuideOptions {
  float min_confidence = 0.1F;  // depths below it are not used
  int radius_px = 3;            // of the square neighbourhood
  // Neighbours have Tukey's weight (1 - (difference / limit)^2)^2, zero beyond the limit. The limit must
  // exceed the depth change of a steep slope within the radius, or the guide flattens it.
  float depth_limit_m = 0.012F;
};

// Returns the guide of a refinement, [y][x], metres: smooth within surfaces but not across steps. A pixel
// without a usable depth gets the mean of its neighbours' if a quarter of them have one, else NaN. Uses
// parallel_for.
std::vector<float> depth_guide(int width_px, int height_px, std::span<const float> depth_m,
                               std::span<const float> confidence, const GuideOptions& options);

// Refines a depth map in a second pass of the sweep: every pixel tries sixteen depths around those of a
// roughly right map. Windows then follow the map's slope and curvature instead of one depth along the rays:
// the samples of a true match agree over the whole window, and a window wider than a ripple smooths errors of
// the map, not the ripple. guide_m: [y][x], NaN = none; such a pixel gets no depth and counts in no window. A
// pixel's hypotheses are step_m apart around the guide, times its depth squared over that of `step_at_m`
// unless that is 0: even steps of parallax for rays from the camera's centre. It gets no depth if the first
// or the last one wins. Samples outside a source count as in run(). The depth range of the input and
// options.depths, kernel, batch, device and keep_volume are ignored. Uses parallel_for; the result does not
// depend on the thread count. Opens the stage depth_refinement.
RefinedDepth refine_depth_map(const Input& input, const Options& options, std::span<const float> guide_m,
                              double step_m, double step_at_m = 0);

}  // namespace aqbench::plane_sweep

namespace aqbench {

// Lengths of one pixel in the middle of its depth range: at the view's centre pixel through water; without
// water, where the middle is that of inverse depth, over nine places of the image.
struct PixelResolution {
  double depth_m = 0;            // where they are measured
  double footprint_m = 0;        // on the surface, between the rays of neighbouring pixels
  double depth_per_pixel_m = 0;  // the change of depth that moves the match in the other cameras by a pixel
};

// Measures the resolution of views[reference] compared with views[sources]. The match moves by the root mean
// square over the sources that see the point. Throws Error(method) naming the view if none does.
PixelResolution pixel_resolution(std::span<const DatasetView> views, std::size_t reference,
                                 std::span<const std::size_t> sources, const sparse::DepthRange& range);

// Returns the least footprint and the greatest depth per pixel (with its depth) of all non-auxiliary views,
// each compared with its select_sources(). ranges: one per view. Throws Error(method) like
// pixel_resolution().
PixelResolution dataset_resolution(std::span<const DatasetView> views,
                                   std::span<const sparse::DepthRange> ranges, std::size_t nearest_sources);

// Options of the depth maps of a dataset.
struct CameraDepthOptions {
  plane_sweep::Options sweep;
  std::size_t sources = 4;      // nearest cameras, beside the auxiliary ones
  int refinements = 2;          // passes of refine_depth_map()
  float min_confidence = 0.3F;  // depths below it do not guide a refinement
};

// Makes one map for each non-auxiliary view, in order; pixels outside the camera's own image have no depth.
// ranges: one per view. Confidence is that of the sweep (winner.h) or, with refinements, the mean
// similarity at the refined depth. Opens depth_estimation. Throws like plane_sweep::run(); Error(method) if
// every view is auxiliary or one has no other view to compare with.
std::vector<DepthMap> estimate_depths(std::span<const DatasetView> views,
                                      std::span<const sparse::DepthRange> ranges,
                                      const CameraDepthOptions& options);

// Returns the maps with NaN where fewer than min_views other maps agree, or fewer than all
// others if those are fewer. Opens filtering.
std::vector<DepthMap> confirm_depths(std::span<const DatasetView> views, std::span<const DepthMap> maps,
                                     plane_sweep::ConsistencyOptions options);

}  // namespace aqbench
