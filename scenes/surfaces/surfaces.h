#pragma once
// The surfaces by formula. Shapes are plain options with defaults; check() names the field at fault.

#include <cstdint>
#include <memory>
#include <vector>

#include "scenes/surfaces/surface.h"

namespace aqbench {

// z = depth_m + slope_x x + slope_y y
struct PlaneShape {
  double depth_m = 1.178;
  double slope_x = 0;  // metres per metre
  double slope_y = 0;
};

// z = base_depth_m + amplitude_m (sin(2 pi x / wavelength_m) + sin(2 pi y / (wavelength_m wavelength_ratio)))
struct UndulatingShape {
  double base_depth_m = 1.178;
  double amplitude_m = 0.005;
  double wavelength_m = 0.05;
  double wavelength_ratio = 1.3;
};

// A smooth step across x: z = base_depth_m +- height_m / 2, deeper where x is larger, joined over width_m by
// the quintic with continuous first and second derivatives ("smootherstep": Perlin, "Improving noise", 2002).
struct StepShape {
  double base_depth_m = 1.178;  // half way down
  double height_m = 0.020;
  double width_m = 0.030;
  double position_m = 0;  // x of the middle
};

// A Gaussian rise towards the cameras: z = base_depth_m - height_m exp(-r^2 / (2 radius_m^2))
struct MoundShape {
  double base_depth_m = 1.178;
  double height_m = 0.030;
  double radius_m = 0.050;  // standard deviation
  double center_x_m = 0;
  double center_y_m = 0;
};

// One term amplitude_m sin(wave_x x + wave_y y + phase).
struct Ripple {
  double amplitude_m = 0;
  double wave_x = 0, wave_y = 0;  // radians per metre
  double phase = 0;               // radians
};

// z = base_depth_m + the sum of its ripples
struct RippleFieldShape {
  double base_depth_m = 1.178;
  std::vector<Ripple> ripples;
};

// Ripples of wavelengths spread over the range (one per equal step of its logarithm), of random directions
// and phases, amplitudes proportional to the wavelength (each ripple equally steep), so that the height's
// RMS over the whole plane is rms_m.
struct RippleOptions {
  double base_depth_m = 1.178;
  double rms_m = 0.003;
  std::int64_t ripples = 12;
  double wavelength_min_m = 0.03;
  double wavelength_max_m = 0.12;
  std::uint64_t seed = 1;
};
RippleFieldShape make_ripples(const RippleOptions& options);

// Steepest slope that is accepted anywhere (84 degrees): beyond it a height field makes no sense.
inline constexpr double kMaxSlope = 10.0;

// Throw Error(usage) naming the field: not finite, not positive where it must be, or too steep.
void check(const Patch& patch);
void check(const PlaneShape& shape);
void check(const UndulatingShape& shape);
void check(const StepShape& shape);
void check(const MoundShape& shape);
void check(const RippleFieldShape& shape);
void check(const RippleOptions& options);

// Each checks its arguments first.
std::shared_ptr<const HeightField> make_plane(const PlaneShape& shape, const Patch& patch);
std::shared_ptr<const HeightField> make_undulating(const UndulatingShape& shape, const Patch& patch);
std::shared_ptr<const HeightField> make_step(const StepShape& shape, const Patch& patch);
std::shared_ptr<const HeightField> make_mound(const MoundShape& shape, const Patch& patch);
std::shared_ptr<const HeightField> make_ripple_field(const RippleFieldShape& shape, const Patch& patch);

}  // namespace aqbench
