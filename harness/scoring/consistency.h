#pragma once
// Measures how well a reconstruction agrees with itself, for recordings without truth.
// This is no accuracy: depths that are wrong in the same way everywhere agree.

#include <optional>
#include <span>

#include "metrics/metric.h"
#include "scenes/cloud/reconstruction.h"
#include "scenes/optics/camera.h"

namespace aqbench {

// Returns the bilinear depth at a place between four pixels, which must all have one (finite, above 0).
std::optional<double> interpolated_depth_m(const DepthMap& map, const Vec2& pixel);

// Returns reprojection_*: a pixel's point by its camera's depth is projected into another camera, whose own
// depth there gives a point that is projected back; the error is how far from the first pixel that is. Over
// every eighth pixel in each direction of each camera's undistorted image and every other camera that sees
// the point and has depths around it. Undefined with a reason where no pair of depths meets. The same for any
// thread count. Throws Error(method) for a map of an unknown camera or of another size than its image.
MetricSet measure_consistency(std::span<const DepthMap> maps, const Rig& rig);

}  // namespace aqbench
