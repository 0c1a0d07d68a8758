#pragma once
// Measures how far a reconstruction's local surface is from each control point of a recording.

#include <optional>

#include "metrics/metric.h"
#include "scenes/cloud/reconstruction.h"
#include "scenes/dataset/true_points.h"

namespace aqbench {

// Returns how far a place is from the local surface, metres. The distance is measured along the normal of the
// total least-squares plane of all points within `radius_m`; the height is the mean of the 16 points that are
// nearest along that plane, or of all where there are fewer. nullopt where there are fewer than 3, or all lie
// on a line.
std::optional<double> distance_to_local_plane_m(const PointCloud& cloud, const Vec3& place_m,
                                                double radius_m);

// Returns control_* (metrics/registry.h) of a cloud in the recording's world frame: how many control points
// have such a plane, and mean, root mean square and largest of the distances. Undefined with a reason where
// none has one. The same for any thread count.
MetricSet score_control_points(const PointCloud& cloud, const ControlTruth& control);

}  // namespace aqbench
