#pragma once
// What the pixels of a view can tell apart: lengths that steps, tolerances and voxels are measured by, so
// that they mean the same for images of any size.

#include <cstddef>
#include <span>

#include "pipeline/sparse/depth_ranges.h"
#include "pipeline/views/dataset_views.h"

namespace aqbench {

// Lengths that one pixel stands for, at the view's centre pixel in the middle of its depth range.
struct PixelResolution {
  double footprint_m = 0;        // on the surface: from the ray of a pixel to that of the next one
  double depth_per_pixel_m = 0;  // the change of depth that moves the match in the other cameras by a pixel
};

// Measures the resolution of views[reference] when it is compared with views[sources]. The match moves by the
// root mean square over the sources that see the point. Throws Error(method) naming the view if none does.
PixelResolution pixel_resolution(std::span<const DatasetView> views, std::size_t reference,
                                 std::span<const std::size_t> sources, const sparse::DepthRange& range);

// Returns the least footprint and the greatest depth per pixel of all views that are not auxiliary, each
// compared with select_sources() of it. ranges: one a view. Throws Error(method) as pixel_resolution() does.
PixelResolution dataset_resolution(std::span<const DatasetView> views,
                                   std::span<const sparse::DepthRange> ranges, std::size_t nearest_sources);

}  // namespace aqbench
