#pragma once
// A predicted depth map against the true one. Depths are along the refracted ray, from the water surface.

#include <span>

#include "metrics/metric.h"

namespace aqbench {

// Row-major maps of one camera, metres. A depth that is not finite or not above 0 is no depth. Errors are
// over the pixels where both maps have one; depth_fill_rate_pct says how many of the true ones those are.
// Every metric is undefined, with the reason, if the truth has no depth; all but the fill rate if no pixel
// has both. Throws Error(method) unless the maps are of one size.
MetricSet depth_metrics(std::span<const float> predicted_m, std::span<const float> truth_m);

}  // namespace aqbench
