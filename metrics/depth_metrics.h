#pragma once
// A predicted depth map against the true one. Depths are along the refracted ray, from the water surface.

#include <span>

#include "metrics/metric.h"

namespace aqbench {

// Scores a row-major map of one camera, metres. A value that is not finite or not above 0 means no depth.
// Errors are over the pixels where both maps have a depth; depth_fill_rate_pct is their share of the pixels
// with a true depth. If the truth has no depth, every metric is undefined, with the reason; if no pixel has
// both, all but the fill rate. Throws Error(method) if the sizes differ.
MetricSet depth_metrics(std::span<const float> predicted_m, std::span<const float> truth_m);

}  // namespace aqbench
