#include "scenes/dataset/perturb.h"

#include <Eigen/Geometry>
#include <nlohmann/json.hpp>
#include <numbers>
#include <string>
#include <system_error>

#include "core/error.h"
#include "core/files.h"
#include "core/json.h"
#include "scenes/cloud/colmap.h"
#include "scenes/optics/calibration_file.h"
#include "scenes/optics/rig.h"

namespace aqbench {
namespace {

WaterInterface water_to_perturb(const Rig& rig) {
  const auto water = level_water(rig);
  if (!water)
    throw input_error(
        "perturb: these cameras look through no level water, so water_z_m, n_water and tilt_deg do not apply to "
        "them");
  return *water;
}

// x_true_world = R (x - pivot) + pivot for x in the frame in which the tilted water is level.
Eigen::Isometry3d world_from_level_water(const Rig& rig, const CalibrationError& error) {
  if (error.tilt_deg == 0) return Eigen::Isometry3d::Identity();
  const Vec3 pivot_m(0, 0, water_to_perturb(rig).water_z_m + error.water_z_m);
  const double angle_rad = error.tilt_deg * std::numbers::pi / 180;
  Eigen::Isometry3d out = Eigen::Isometry3d::Identity();
  out.translate(pivot_m).rotate(Eigen::AngleAxisd(angle_rad, Vec3::UnitX())).translate(-pivot_m);
  return out;
}

// Adds the errors that camera number `index` has of its own.
void add_own_error(const CalibrationError& error, std::size_t index, Camera& camera) {
  constexpr std::uint32_t kPosition = 8, kRotation = 10, kInside = 12, kLens = 14;  // slots
  const auto normals = [&](std::uint32_t slot) { return camera_normals(error.seed, index, slot); };
  if (error.camera_position_m != 0 || error.camera_rotation_deg != 0) {
    CameraFromWorld& pose = camera.camera_from_world;
    pose = moved_pose(camera_centre_m(pose), pose.rotation, error.camera_position_m * normals(kPosition),
                      error.camera_rotation_deg * std::numbers::pi / 180 * normals(kRotation));
  }
  const Vec3 inside = normals(kInside);
  Mat3& k = camera.intrinsics.K;
  k.diagonal().head<2>() *= 1 + error.camera_focal_pct / 100 * inside.z();
  k(0, 2) += error.camera_principal_px * inside.x();
  k(1, 2) += error.camera_principal_px * inside.y();
  camera.intrinsics.distortion.front() += error.camera_k1 * normals(kLens).x();
}

constexpr const char* kFile = "calibration.json";

// Copies the named members that an object has.
Json members_of(const Json& from, std::initializer_list<const char*> names) {
  Json to = Json::object();
  for (const char* const name : names)
    if (from.is_object() && from.contains(name)) to[name] = from[name];
  return to;
}

}  // namespace

const std::vector<ParameterSpec>& perturb_parameters() {
  static const std::vector<ParameterSpec> specs = {
      number_parameter("water_z_m", "m", 0.0, -0.5, 0.5,
                       "error of the calibrated height of the water surface"),
      number_parameter("n_water", "1", 0.0, -0.3, 0.3,
                       "error of the calibrated refractive index of the water"),
      number_parameter("tilt_deg", "deg", 0.0, -10, 10, "error of the calibrated tilt of the water surface"),
      number_parameter("focal_pct", "%", 0.0, -20, 20, "error of the calibrated focal lengths"),
      number_parameter(
          "camera_position_m", "m", 0.0, 0, 1,
          "standard deviation of each camera's calibrated position, per axis, drawn by the seed"),
      number_parameter("camera_rotation_deg", "deg", 0.0, 0, 45,
                       "standard deviation of each camera's calibrated rotation, per axis"),
      number_parameter("camera_focal_pct", "%", 0.0, 0, 20,
                       "standard deviation of each camera's calibrated focal length"),
      number_parameter("camera_principal_px", "px", 0.0, 0, 1000,
                       "standard deviation of each camera's calibrated principal point, per axis"),
      number_parameter("camera_k1", "1", 0.0, 0, 1, "standard deviation of each camera's calibrated k1"),
  };
  return specs;
}

CalibrationError calibration_error(const Parameters& parameters, std::uint64_t seed) {
  return {.water_z_m = parameters.number("water_z_m"),
          .n_water = parameters.number("n_water"),
          .tilt_deg = parameters.number("tilt_deg"),
          .focal_pct = parameters.number("focal_pct"),
          .camera_position_m = parameters.number("camera_position_m"),
          .camera_rotation_deg = parameters.number("camera_rotation_deg"),
          .camera_focal_pct = parameters.number("camera_focal_pct"),
          .camera_principal_px = parameters.number("camera_principal_px"),
          .camera_k1 = parameters.number("camera_k1"),
          .seed = seed};
}

bool is_zero(const CalibrationError& error) { return error == CalibrationError{.seed = error.seed}; }

Rig perturbed(const Rig& rig, const CalibrationError& error) {
  Rig out = rig;
  if (error.water_z_m != 0 || error.n_water != 0) {
    WaterInterface water = water_to_perturb(rig);
    water.water_z_m += error.water_z_m;
    water.n_water += error.n_water;
    set_interface(out, water);
  }
  const Eigen::Isometry3d world = world_from_level_water(rig, error);
  for (Camera& camera : out.cameras) {
    Mat3& k = camera.intrinsics.K;
    k(0, 0) *= 1 + error.focal_pct / 100;
    k(1, 1) *= 1 + error.focal_pct / 100;
    if (error.tilt_deg == 0) continue;  // unchanged to the last bit
    CameraFromWorld& pose = camera.camera_from_world;
    pose.translation_m += pose.rotation * world.translation();
    pose.rotation = pose.rotation * world.rotation();
  }
  for (std::size_t i = 0; i < out.cameras.size(); ++i) add_own_error(error, i, out.cameras[i]);
  check(out, "perturbed calibration");
  return out;
}

Similarity world_from_perturbed(const Rig& rig, const CalibrationError& error) {
  return similarity_from_matrix(world_from_level_water(rig, error).matrix(), "perturb.tilt_deg");
}

void perturb_calibration_file(const std::filesystem::path& file, const CalibrationError& error) {
  // Does not say what was perturbed: a method that reads it could undo it.
  write_calibration(file, perturbed(read_calibration(file), error),
                    {"1970-01-01T00:00:00Z", "aqbench", "none"});
}

void withhold_poses(const std::filesystem::path& observation_dir, bool keep_intrinsics) {
  const std::filesystem::path file = observation_dir / kFile;
  if (!keep_intrinsics) {
    std::error_code error;
    std::filesystem::remove(file, error);
    if (error) throw io_error("{}: {}", file.string(), error.message());
    return;
  }
  const Json whole = read_strict_json(file, kSmallFileJson);
  Json kept = members_of(whole, {"version"});
  kept["cameras"] = Json::object();
  for (const auto& [name, camera] : JsonPlace(whole, file.string()).at("cameras").members())
    kept["cameras"][name] = members_of(camera.value(), {"name", "intrinsics"});
  if (whole.contains("interface")) kept["interface"] = members_of(whole["interface"], {"n_air", "n_water"});
  write_file(file, kept.dump(1) + "\n");
}

std::vector<std::filesystem::path> pose_files_in(const std::filesystem::path& recording_dir) {
  std::vector<std::filesystem::path> files;
  for (const char* const name : {kFile, "cameras.json", "transforms.json", "transforms_train.json",
                                 "transforms_val.json", "transforms_test.json", "cams", "Cameras"})
    files.push_back(recording_dir / name);
  for (const char* const place : kColmapPlaces)
    for (const char* const name : {"images", "points3D", "frames"})
      for (const char* const ending : {".bin", ".txt"})
        files.push_back(recording_dir / place / (std::string(name) + ending));
  return files;
}

}  // namespace aqbench
