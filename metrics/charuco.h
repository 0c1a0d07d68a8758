#pragma once
// Compares reconstructed corners of a ChArUco board with the true ones.

#include <optional>
#include <span>
#include <vector>

#include "scenes/cloud/reconstruction.h"

namespace aqbench {

// Errors of the corners of a board.
struct CornerErrors {
  std::vector<double> distance_m;  // of each corner, in the order given
  // Of distance_m; nullopt when there is no corner.
  std::optional<double> mean_m, median_m, max_m, rmse_m;
};

// Compares corner i with true corner i. Throws Error(input) for unequal counts and for a corner that is not
// finite.
CornerErrors charuco_errors(std::span<const Vec3> corners_m, std::span<const Vec3> true_corners_m);

}  // namespace aqbench
