#pragma once
// Whether a cloud lies where the masks of the images show the object.

#include "metrics/metric.h"
#include "scenes/cloud/reconstruction.h"
#include "scenes/optics/camera.h"

namespace aqbench {

// Returns points_in_masks_pct (metrics/registry.h) of a cloud in the rig's world frame, nothing for a rig
// without masks. The same for any thread count.
MetricSet score_masks(const PointCloud& cloud, const Rig& rig);

}  // namespace aqbench
