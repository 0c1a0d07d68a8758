#pragma once
// The depths at which each view sees a sparse cloud: where a dense search looks for the surface.

#include <optional>
#include <span>
#include <vector>

#include "pipeline/views/dataset_views.h"

namespace aqbench::sparse {

// Depths in metres along the refracted ray, from the water surface.
struct DepthRange {
  double min_m = 0;
  double max_m = 0;
};

// The length by which a range is widened at both ends.
inline constexpr double kDepthMargin_m = 0.05;

// The fewest points that a view must see for a range of its own.
inline constexpr std::size_t kMinDepthPoints = 8;

// Returns for each view the range of depths of the points in its image: from the 2nd to the 98th percentile,
// widened by kDepthMargin_m at both ends, at least 0; nullopt for a view that sees fewer than kMinDepthPoints
// points.
std::vector<std::optional<DepthRange>> depth_ranges(std::span<const Vec3> points_m,
                                                    std::span<const DatasetView> views);

}  // namespace aqbench::sparse
