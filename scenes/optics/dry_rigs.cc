#include "scenes/optics/dry_rigs.h"

#include <cmath>
#include <numbers>

namespace aqbench {
namespace {

constexpr int kOrbitRing = 18, kWalkCameras = 24, kOutwardsCameras = 36;

}  // namespace

std::vector<ParameterSpec> orbit_parameters() {
  return {{"radius_m", "m", 0.8, 0.01, 1000, "distance of every camera from the point", {}},
          {"low_deg", "deg", 10.0, -85, 85, "elevation of the lower ring", {}},
          {"high_deg", "deg", 40.0, -85, 85, "elevation of the upper ring", {}},
          {"look_at_x_m", "m", 0.0, -100, 100, "point that every camera looks at", {}},
          {"look_at_y_m", "m", 0.0, -100, 100, "point that every camera looks at", {}},
          {"look_at_z_m", "m", 0.0, -100, 100, "point that every camera looks at", {}}};
}

std::vector<CameraPlace> orbit_places(const Parameters& parameters) {
  const Vec3 target_m(parameters.number("look_at_x_m"), parameters.number("look_at_y_m"),
                      parameters.number("look_at_z_m"));
  std::vector<CameraPlace> places;
  for (const bool upper : {false, true})
    for (int i = 0; i < kOrbitRing; ++i) {
      const double angle = 2 * std::numbers::pi * (i + (upper ? 0.5 : 0)) / kOrbitRing;
      const double elevation = parameters.number(upper ? "high_deg" : "low_deg") * std::numbers::pi / 180;
      const Vec3 outwards(std::cos(elevation) * std::cos(angle), std::cos(elevation) * std::sin(angle),
                          -std::sin(elevation));  // +Z is down
      places.push_back({target_m + parameters.number("radius_m") * outwards, target_m});
    }
  return places;
}

std::vector<ParameterSpec> walk_parameters() {
  return {{"start_x_m", "m", -1.5, -1000, 1000, "of the first camera", {}},
          {"step_m", "m", 0.06, 0.001, 100, "along +X from camera to camera", {}},
          {"sway_m", "m", 0.08, 0, 10, "amplitude of the path to the sides; half of it up and down", {}}};
}

std::vector<CameraPlace> walk_places(const Parameters& parameters) {
  const double step_m = parameters.number("step_m"), sway_m = parameters.number("sway_m");
  std::vector<CameraPlace> places;
  for (int i = 0; i < kWalkCameras; ++i) {
    const double phase = 2 * std::numbers::pi * i / 6;
    const Vec3 centre_m(parameters.number("start_x_m") + i * step_m, sway_m * std::sin(phase),
                        0.5 * sway_m * std::sin(2 * phase));
    places.push_back({centre_m, centre_m + Vec3::UnitX()});
  }
  return places;
}

std::vector<ParameterSpec> outwards_parameters() {
  return {{"radius_m", "m", 0.5, 0.001, 1000, "of the circle, about the origin", {}}};
}

std::vector<CameraPlace> outwards_places(const Parameters& parameters) {
  std::vector<CameraPlace> places;
  for (int i = 0; i < kOutwardsCameras; ++i) {
    const double angle = 2 * std::numbers::pi * i / kOutwardsCameras;
    const Vec3 outwards(std::cos(angle), std::sin(angle), 0);
    const Vec3 centre_m = parameters.number("radius_m") * outwards;
    places.push_back({centre_m, centre_m + outwards});
  }
  return places;
}

std::vector<ParameterSpec> stereo_parameters() {
  return {{"baseline_m", "m", 0.1, 0.0001, 100, "between the two cameras, along X", {}},
          {"distance_m", "m", 0.8, 0.001, 1000, "of the cameras above the origin", {}}};
}

std::vector<CameraPlace> stereo_places(const Parameters& parameters) {
  std::vector<CameraPlace> places;
  for (const double side : {-0.5, 0.5}) {
    const Vec3 centre_m(side * parameters.number("baseline_m"), 0, -parameters.number("distance_m"));
    places.push_back({centre_m, centre_m + Vec3::UnitZ()});
  }
  return places;
}

}  // namespace aqbench
