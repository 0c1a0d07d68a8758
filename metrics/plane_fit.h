#pragma once
// Total least-squares plane through points.

#include <cstdint>
#include <optional>
#include <span>

#include "scenes/cloud/reconstruction.h"

namespace aqbench {

struct PlaneFit {
  Vec3 centroid_m;
  Vec3 normal;    // unit, towards the cameras: z <= 0
  double rmse_m;  // of the distances to the plane
  double max_m;
};

// Through points_m[index[i]]. nullopt for fewer than 3 points and for points on one line (or in one place),
// through which many planes pass.
std::optional<PlaneFit> fit_plane(std::span<const Vec3> points_m, std::span<const std::uint32_t> index);

}  // namespace aqbench
