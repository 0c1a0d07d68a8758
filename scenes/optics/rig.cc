#include "scenes/optics/rig.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <cmath>
#include <numbers>

#include "core/random.h"
#include "scenes/optics/port_rigs.h"

namespace aqbench {
namespace {

constexpr int kOrbitRing = 18, kWalkCameras = 24, kOutwardsCameras = 36;

// Of lens, image and jitter.
std::vector<ParameterSpec> camera_parameters(std::vector<ParameterSpec> own,
                                             const std::vector<ParameterSpec>& water = {}) {
  const std::int64_t width = 1600, height = 1200;
  std::vector<ParameterSpec> specs = {
      {"width", "px", width, 8, 20000, "image width", {}},
      {"height", "px", height, 8, 20000, "image height", {}},
      {"focal_px", "px", 0.0, 0, 1e6, "focal length; 0 means 1504.6 px scaled with width / 1600", {}},
      {"k1", "1", -0.05, -10, 10, "radial distortion (OpenCV)", {}},
      {"k2", "1", 0.01, -10, 10, "radial distortion (OpenCV)", {}},
      {"p1", "1", 0.0, -1, 1, "tangential distortion (OpenCV)", {}},
      {"p2", "1", 0.0, -1, 1, "tangential distortion (OpenCV)", {}},
      {"k3", "1", 0.0, -10, 10, "radial distortion (OpenCV)", {}},
  };
  specs.insert(specs.begin(), own.begin(), own.end());
  specs.insert(specs.end(), water.begin(), water.end());
  specs.push_back(
      {"jitter_position_m", "m", 0.0, 0, 1, "standard deviation of each camera's position, per axis", {}});
  specs.push_back(
      {"jitter_angle_deg", "deg", 0.0, 0, 45, "standard deviation of its rotation, per camera axis", {}});
  return specs;
}

std::vector<ParameterSpec> rig_parameters() {
  return camera_parameters(
      {{"radius_m", "m", 0.635, 0.01, 100, "of the ring, at z = 0", {}},
       {"look_at_x_m", "m", 0.0, -100, 100, "point that every camera looks at", {}},
       {"look_at_y_m", "m", 0.0, -100, 100, "point that every camera looks at", {}},
       {"look_at_z_m", "m", 1.178, 0.01, 100, "point that every camera looks at", {}}},
      {{"water_z_m", "m", 0.978, 0.001, 100, "water surface", {}},
       {"n_air", "1", 1.0, 0.5, 5, "refractive index above the surface", {}},
       {"n_water", "1", 1.333, 0.5, 5, "refractive index below it; equal to n_air: no water", {}}});
}

RigSpec ring_rig(const char* name, const char* summary, int cameras, int positions, bool centre = false) {
  return {name, summary, rig_parameters(), cameras, positions, centre};
}

RigSpec dry_rig(const char* name, const char* summary, std::vector<ParameterSpec> own,
                std::vector<CameraPlace> (*places)(const Parameters&)) {
  return {
      .name = name, .summary = summary, .parameters = camera_parameters(std::move(own)), .places = places};
}

RigSpec housed_rig(const char* name, const char* summary, std::vector<ParameterSpec> own,
                   std::vector<CameraPlace> (*places)(const Parameters&)) {
  return {.name = name,
          .summary = summary,
          .parameters = camera_parameters(std::move(own), housing_parameters()),
          .places = places,
          .port = housing_port};
}

Intrinsics rig_intrinsics(const Parameters& parameters) {
  Intrinsics out;
  out.width_px = static_cast<int>(parameters.integer("width"));
  out.height_px = static_cast<int>(parameters.integer("height"));
  const double focal_px = rig_focal_px(parameters);
  out.K << focal_px, 0, (out.width_px - 1) / 2.0, 0, focal_px, (out.height_px - 1) / 2.0, 0, 0, 1;
  out.distortion.clear();
  for (const char* name : {"k1", "k2", "p1", "p2", "k3"}) out.distortion.push_back(parameters.number(name));
  return out;
}

Camera rig_camera(const std::string& name, const CameraPlace& place, std::uint64_t index,
                  const Parameters& parameters, std::uint64_t seed) {
  const Mat3 rotation = looking_at(place.centre_m, place.target_m);
  return {name,
          rig_intrinsics(parameters),
          jittered_pose(place.centre_m, rotation, parameters, seed, index),
          false,
          {}};
}

std::string numbered_camera(std::size_t index) { return fmt::format("cam{:02}", index); }

Rig make_placed_rig(const RigSpec& spec, const Parameters& parameters, std::uint64_t seed) {
  Rig rig;
  for (const CameraPlace& place : spec.places(parameters)) {
    rig.cameras.push_back(
        rig_camera(numbered_camera(rig.cameras.size()), place, rig.cameras.size(), parameters, seed));
    Camera& camera = rig.cameras.back();
    if (spec.port != nullptr) camera.interface = spec.port(parameters, camera.camera_from_world);
  }
  check(rig, spec.name);
  return rig;
}

// ---- Rigs without water ----

// Two rings of 18 cameras about a vertical axis, 20 degrees apart; the upper ring's stand between those of
// the lower. All look at one point.
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

// A path along +X with steps of one length, which sways from side to side and up and down; every camera looks
// along +X.
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

// A circle of 36 cameras, 10 degrees apart, that look outwards from its middle.
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

// Two cameras side by side along X that look along +Z.
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

}  // namespace

const std::vector<RigSpec>& rig_registry() {
  static const std::vector<RigSpec> registry = {
      ring_rig("ring12", "12 cameras on a ring, 30 degrees apart, and an auxiliary one in the centre", 12, 12,
               true),
      ring_rig("sparse4", "4 cameras on a ring, 90 degrees apart", 4, 4),
      ring_rig("arc6", "6 neighbouring cameras of ring12", 6, 12),
      ring_rig("single_pair", "2 neighbouring cameras of ring12", 2, 12),
      dry_rig("orbit", "36 cameras about an object on two rings, without water", orbit_parameters(),
              orbit_places),
      dry_rig("walk", "24 cameras along a path forward through a room, without water", walk_parameters(),
              walk_places),
      dry_rig("outwards", "36 cameras on a circle that look all around a room, without water",
              outwards_parameters(), outwards_places),
      dry_rig("stereo", "2 cameras with parallel axes, without water", stereo_parameters(), stereo_places),
      housed_rig("port_stereo", "a pair of cameras behind ports under water, in 6 poses",
                 port_stereo_parameters(), port_stereo_places),
      housed_rig("port_survey", "one camera behind a port under water, at 3 x 3 stations, down and oblique",
                 port_survey_parameters(), port_survey_places),
      {.name = "tank_wall",
       .summary = "4 cameras that look into a tank through its glass wall",
       .parameters = camera_parameters(tank_wall_parameters()),
       .places = tank_wall_places,
       .port = tank_wall_port},
  };
  return registry;
}

const RigSpec& find_rig(std::string_view name) { return find_named("rig", name, rig_registry()); }

Vec3 camera_normals(std::uint64_t seed, std::uint64_t camera, std::uint32_t first_slot) {
  const RandomKey key{seed, RandomStream::rig_jitter};
  const auto [x, y] = normal_pair(key, camera, first_slot);
  return {x, y, normal_pair(key, camera, first_slot + 1)[0]};
}

CameraFromWorld moved_pose(const Vec3& position_m, Mat3 rotation, const Vec3& by_m, const Vec3& turn_rad) {
  if (const double angle_rad = turn_rad.norm(); angle_rad > 0)
    rotation = Eigen::AngleAxisd(angle_rad, turn_rad / angle_rad).toRotationMatrix() * rotation;
  return {rotation, -(rotation * (position_m + by_m))};
}

CameraFromWorld jittered_pose(const Vec3& position_m, const Mat3& rotation, const Parameters& parameters,
                              std::uint64_t seed, std::uint64_t index) {
  return moved_pose(
      position_m, rotation, parameters.number("jitter_position_m") * camera_normals(seed, index, 0),
      parameters.number("jitter_angle_deg") * std::numbers::pi / 180 * camera_normals(seed, index, 2));
}

Rig make_rig(std::string_view name, const std::vector<Override>& overrides, std::uint64_t seed) {
  const RigSpec& spec = find_rig(name);
  return make_rig(spec, resolve_parameters(spec.name, spec.parameters, overrides), seed);
}

Rig make_rig(const RigSpec& spec, const Parameters& parameters, std::uint64_t seed) {
  if (spec.places != nullptr) return make_placed_rig(spec, parameters, seed);
  Rig rig;
  const Vec3 target_m(parameters.number("look_at_x_m"), parameters.number("look_at_y_m"),
                      parameters.number("look_at_z_m"));
  const double radius_m = parameters.number("radius_m");
  for (int i = 0; i < spec.ring_cameras; ++i) {
    const double angle_rad = 2 * std::numbers::pi * i / spec.ring_positions;
    const Vec3 position_m(radius_m * std::cos(angle_rad), radius_m * std::sin(angle_rad), 0);
    rig.cameras.push_back(rig_camera(numbered_camera(rig.cameras.size()), {position_m, target_m},
                                     static_cast<std::uint64_t>(i), parameters, seed));
  }
  if (spec.centre_camera) {
    rig.cameras.push_back(rig_camera("centre", {Vec3::Zero(), target_m},
                                     static_cast<std::uint64_t>(spec.ring_cameras), parameters, seed));
    rig.cameras.back().is_auxiliary = true;
  }
  set_interface(rig, WaterInterface{parameters.number("water_z_m"), parameters.number("n_air"),
                                    parameters.number("n_water")});
  check(rig, spec.name);
  return rig;
}

}  // namespace aqbench
