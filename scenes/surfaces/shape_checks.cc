#include "scenes/surfaces/shape_checks.h"

#include <fmt/format.h>

#include <cmath>
#include <tuple>

#include "core/error.h"

namespace aqbench {

void require_shape(bool holds, std::string_view field, std::string_view must, double value) {
  if (!holds) throw usage_error("{}: must be {}, got {}", field, must, value);
}

void require_finite(std::string_view field, double value) {
  require_shape(std::isfinite(value), field, "finite", value);
}

void require_positive(std::string_view field, double value) {
  require_shape(std::isfinite(value) && value > 0, field, "positive", value);
}

void require_not_negative(std::string_view field, double value) {
  require_shape(std::isfinite(value) && value >= 0, field, "at least 0", value);
}

void require_slope(std::string_view field, double slope) {
  if (slope > kMaxSlope)
    throw usage_error("{}: the steepest slope would be {:.3g}, more than {}", field, slope, kMaxSlope);
}

void check(const Patch& patch) {
  constexpr double kMaxArea_m2 = 4.0;  // 9 million completeness samples; the rig sees less than half of it
  for (const auto& [name, low, high] :
       {std::tuple{"x", patch.x_min_m, patch.x_max_m}, std::tuple{"y", patch.y_min_m, patch.y_max_m}}) {
    require_finite(fmt::format("{}_min_m", name), low);
    require_finite(fmt::format("{}_max_m", name), high);
    if (!(high - low >= 1e-3))
      throw usage_error("{0}_max_m: must exceed {0}_min_m by at least 0.001 m, got {1} to {2}", name, low,
                        high);
  }
  const double area = (patch.x_max_m - patch.x_min_m) * (patch.y_max_m - patch.y_min_m);
  if (area > kMaxArea_m2)
    throw usage_error("x_min_m to y_max_m: the patch has {:.4g} m2, more than {} m2", area, kMaxArea_m2);
}

}  // namespace aqbench
