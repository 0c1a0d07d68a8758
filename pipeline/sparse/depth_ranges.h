#pragma once
// The depths at which each view sees a sparse cloud, as the search range of a dense method.

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

// The margin of a range at both ends.
inline constexpr double kDepthMargin_m = 0.05;

// The fewest visible points for a range of a view's own.
inline constexpr std::size_t kMinDepthPoints = 8;

// Returns for each view the depth range of the points in its image: from the 2nd to the 98th percentile,
// widened by kDepthMargin_m at both ends, at least 0; nullopt for a view that sees fewer than kMinDepthPoints
// points.
std::vector<std::optional<DepthRange>> depth_ranges(std::span<const Vec3> points_m,
                                                    std::span<const DatasetView> views);

}  // namespace aqbench::sparse
