#pragma once
// The depths at which each view sees a sparse cloud, as the search range of a dense method.

#include <optional>
#include <span>
#include <vector>

#include "pipeline/sparse/sparse.h"
#include "pipeline/views/dataset_views.h"

namespace aqbench::sparse {

// Depths in metres along the ray, from its origin.
struct DepthRange {
  double min_m = 0;
  double max_m = 0;
};

// The margin of a range at both ends under level water.
inline constexpr double kDepthMargin_m = 0.05;

// The margin of a range at both ends without water, as a share of the depth there: images have no scale.
inline constexpr double kDepthMarginShare = 0.1;

// The fewest visible points for a range of a view's own.
inline constexpr std::size_t kMinDepthPoints = 8;

// Returns for each view the depth range of the points in its image: from the 2nd to the 98th percentile,
// widened by kDepthMargin_m (or kDepthMarginShare) at both ends, at least 0; nullopt for a view that sees
// fewer than kMinDepthPoints points.
std::vector<std::optional<DepthRange>> depth_ranges(std::span<const Vec3> points_m,
                                                    std::span<const DatasetView> views);

// Does the same with what is known of the points' sightings: without water, where cameras may stand around an
// object, a view counts only its own sightings if there are kMinDepthPoints.
std::vector<std::optional<DepthRange>> sighted_depth_ranges(std::span<const SparsePoint> points,
                                                            std::span<const DatasetView> views);

}  // namespace aqbench::sparse
