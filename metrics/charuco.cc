#include "metrics/charuco.h"

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "metrics/neighbours/measurable.h"
#include "metrics/numbers/order_statistics.h"

namespace aqbench {

CornerErrors charuco_errors(std::span<const Vec3> corners_m, std::span<const Vec3> true_corners_m) {
  if (corners_m.size() != true_corners_m.size())
    throw input_error("charuco corners: {} reconstructed and {} true ones", corners_m.size(),
                      true_corners_m.size());
  CornerErrors errors;
  double sum_m = 0, squares_m2 = 0;
  for (std::size_t i = 0; i < corners_m.size(); ++i) {
    if (!is_measurable(corners_m[i]) || !is_measurable(true_corners_m[i]))
      throw input_error("charuco corners: corner {} is not finite", i);
    const double distance_m = (corners_m[i] - true_corners_m[i]).norm();
    errors.distance_m.push_back(distance_m);
    sum_m += distance_m;
    squares_m2 += distance_m * distance_m;
  }
  if (errors.distance_m.empty()) return errors;
  const double count = static_cast<double>(errors.distance_m.size());
  std::vector<double> values = errors.distance_m;
  errors.mean_m = sum_m / count;
  errors.rmse_m = std::sqrt(squares_m2 / count);
  errors.max_m = std::ranges::max(values);
  errors.median_m = median_in_place(values);
  return errors;
}

}  // namespace aqbench
