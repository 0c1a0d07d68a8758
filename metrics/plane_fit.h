#pragma once
// Total least-squares plane through points.

#include <cstdint>
#include <optional>
#include <span>

#include "scenes/cloud/cloud_blocks.h"

namespace aqbench {

// A plane, and the distances of the points to it.
struct PlaneFit {
  Vec3 centroid_m;
  Vec3 normal;    // unit, towards the cameras: z <= 0
  double rmse_m;  // of the distances to the plane
  double max_m;
};

// Fits a plane to points_m[index[i]]. Returns nullopt for fewer than 3 points, and for points on one line or
// at one place, through which many planes pass.
std::optional<PlaneFit> fit_plane(std::span<const Vec3> points_m, std::span<const std::uint32_t> index);

// Fits it to the points that count of a cloud in blocks, which are gone through three times.
std::optional<PlaneFit> fit_plane(const EachBlock& each_block);

}  // namespace aqbench
