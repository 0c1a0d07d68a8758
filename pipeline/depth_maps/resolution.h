#pragma once
// The resolution of a view: lengths that scale steps, tolerances and voxels, so that they mean the same for
// any image size.

#include <cstddef>
#include <span>

#include "pipeline/sparse/depth_ranges.h"
#include "pipeline/views/dataset_views.h"

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

}  // namespace aqbench
