// Checks of the shapes in scenes/surfaces/surfaces.h.

#include <fmt/format.h>

#include <cmath>
#include <numbers>
#include <string_view>

#include "core/error.h"
#include "scenes/surfaces/surfaces.h"

namespace aqbench {
namespace {

void require(bool holds, std::string_view field, std::string_view must, double value) {
  if (!holds) throw Error(ErrorKind::usage, fmt::format("{}: must be {}, got {}", field, must, value));
}

void require_finite(std::string_view field, double value) {
  require(std::isfinite(value), field, "finite", value);
}

void require_positive(std::string_view field, double value) {
  require(std::isfinite(value) && value > 0, field, "positive", value);
}

void require_not_negative(std::string_view field, double value) {
  require(std::isfinite(value) && value >= 0, field, "at least 0", value);
}

void require_slope(std::string_view field, double slope) {
  if (slope > kMaxSlope)
    throw Error(ErrorKind::usage,
                fmt::format("{}: the steepest slope would be {:.3g}, more than {}", field, slope, kMaxSlope));
}

}  // namespace

void check(const Patch& patch) {
  constexpr double kMaxArea_m2 = 4.0;  // 9 million completeness samples; the rig sees less than half of it
  for (const auto& [name, low, high] :
       {std::tuple{"x", patch.x_min_m, patch.x_max_m}, std::tuple{"y", patch.y_min_m, patch.y_max_m}}) {
    require_finite(fmt::format("{}_min_m", name), low);
    require_finite(fmt::format("{}_max_m", name), high);
    if (!(high - low >= 1e-3))
      throw Error(ErrorKind::usage,
                  fmt::format("{0}_max_m: must exceed {0}_min_m by at least 0.001 m, got {1} to {2}", name,
                              low, high));
  }
  const double area = (patch.x_max_m - patch.x_min_m) * (patch.y_max_m - patch.y_min_m);
  if (area > kMaxArea_m2)
    throw Error(ErrorKind::usage, fmt::format("x_min_m to y_max_m: the patch has {:.4g} m2, more than {} m2",
                                              area, kMaxArea_m2));
}

void check(const PlaneShape& shape) {
  require_finite("depth_m", shape.depth_m);
  require_slope("slope_x, slope_y", std::hypot(shape.slope_x, shape.slope_y));
}

void check(const UndulatingShape& shape) {
  require_finite("base_depth_m", shape.base_depth_m);
  require_not_negative("amplitude_m", shape.amplitude_m);
  require_positive("wavelength_m", shape.wavelength_m);
  require_positive("wavelength_ratio", shape.wavelength_ratio);
  const double steepest_x = 2 * std::numbers::pi * shape.amplitude_m / shape.wavelength_m;
  require_slope("amplitude_m", std::hypot(steepest_x, steepest_x / shape.wavelength_ratio));
}

void check(const StepShape& shape) {
  require_finite("base_depth_m", shape.base_depth_m);
  require_finite("height_m", shape.height_m);
  require_positive("width_m", shape.width_m);
  require_finite("position_m", shape.position_m);
  require_slope("height_m", 1.875 * std::abs(shape.height_m) / shape.width_m);
}

void check(const MoundShape& shape) {
  require_finite("base_depth_m", shape.base_depth_m);
  require_finite("height_m", shape.height_m);
  require_positive("radius_m", shape.radius_m);
  require_finite("center_x_m", shape.center_x_m);
  require_finite("center_y_m", shape.center_y_m);
  require_slope("height_m", std::exp(-0.5) * std::abs(shape.height_m) / shape.radius_m);
}

void check(const RippleFieldShape& shape) {
  require_finite("base_depth_m", shape.base_depth_m);
  double steepest = 0;
  for (const Ripple& ripple : shape.ripples) {
    require_not_negative("amplitude_m", ripple.amplitude_m);
    for (const double value : {ripple.wave_x, ripple.wave_y, ripple.phase}) require_finite("ripples", value);
    steepest += ripple.amplitude_m * std::hypot(ripple.wave_x, ripple.wave_y);
  }
  require_slope("rms_m", steepest);
}

void check(const RippleOptions& options) {
  require_finite("base_depth_m", options.base_depth_m);
  require_not_negative("rms_m", options.rms_m);
  require(options.ripples >= 1, "ripples", "at least 1", static_cast<double>(options.ripples));
  require_positive("wavelength_min_m", options.wavelength_min_m);
  require_positive("wavelength_max_m", options.wavelength_max_m);
  require(options.wavelength_max_m >= options.wavelength_min_m, "wavelength_max_m",
          "at least wavelength_min_m", options.wavelength_max_m);
}

}  // namespace aqbench
