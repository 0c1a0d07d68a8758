#include "scenes/dataset/perturb.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <nlohmann/json.hpp>
#include <numbers>
#include <optional>
#include <string>
#include <system_error>

#include "core/error.h"
#include "core/files.h"
#include "core/json.h"
#include "scenes/cloud/colmap.h"
#include "scenes/dataset/covariance.h"
#include "scenes/optics/calibration_file.h"
#include "scenes/optics/pinhole_fit.h"
#include "scenes/optics/rig.h"

namespace aqbench {
namespace {

constexpr std::uint64_t kAllCameras = ~std::uint64_t{0};  // draws what they share

// A parameter and the error that it sets.
struct ErrorRow {
  ParameterSpec spec;
  double CalibrationError::*value;
  bool has_sigma = false;  // with a standard deviation of its own, "sigma_NAME"
};

// Errors that all cameras share.
std::vector<ErrorRow> shared_errors() {
  using E = CalibrationError;
  const auto row = [](const char* name, const char* unit, double most, const char* what, double E::*value,
                      bool has_sigma = false) {
    return ErrorRow{
        number_parameter(name, unit, 0.0, -most, most, std::string("error of the calibrated ") + what), value,
        has_sigma};
  };
  return {
      row("water_z_m", "m", 0.5, "height of the water surface", &E::water_z_m, true),
      row("n_water", "1", 0.3, "refractive index of the water", &E::n_water, true),
      row("tilt_deg", "deg", 10, "tilt of the water surface", &E::tilt_deg, true),
      row("focal_pct", "%", 20, "focal lengths", &E::focal_pct, true),
      row("port_dist_m", "m", 1, "distance of flat ports and inner radius of domes", &E::port_dist_m),
      row("port_thick_m", "m", 1, "thickness of the glass", &E::port_thick_m),
      row("n_glass", "1", 0.5, "refractive index of the glass", &E::n_glass),
      row("port_tilt_deg", "deg", 45, "normal of flat ports, about the camera's y axis", &E::port_tilt_deg),
      row("dome_x_m", "m", 1, "x of the centre of domes", &E::dome_x_m),
      row("dome_y_m", "m", 1, "y of the centre of domes", &E::dome_y_m),
      row("dome_z_m", "m", 1, "z of the centre of domes", &E::dome_z_m),
      row("board_size_pct", "%", 20, "board's size, and with it of all lengths", &E::board_size_pct, true),
  };
}

// Standard deviations of errors that each camera has of its own.
std::vector<ErrorRow> own_errors() {
  using E = CalibrationError;
  const auto row = [](const char* name, const char* unit, double most, const char* what, double E::*value) {
    return ErrorRow{number_parameter(name, unit, 0.0, 0, most,
                                     std::string("standard deviation of each camera's calibrated ") + what),
                    value};
  };
  return {
      row("camera_position_m", "m", 1, "position, per axis, drawn by the seed", &E::camera_position_m),
      row("camera_rotation_deg", "deg", 45, "rotation, per axis", &E::camera_rotation_deg),
      row("camera_focal_pct", "%", 20, "focal length", &E::camera_focal_pct),
      row("camera_principal_px", "px", 1000, "principal point, per axis", &E::camera_principal_px),
      row("camera_k1", "1", 1, "k1", &E::camera_k1),
      row("camera_port_dist_m", "m", 1, "port distance or dome radius", &E::camera_port_dist_m),
      row("camera_port_thick_m", "m", 1, "thickness of the glass", &E::camera_port_thick_m),
      row("camera_n_glass", "1", 0.5, "refractive index of the glass", &E::camera_n_glass),
      row("camera_port_tilt_deg", "deg", 45, "normal of its flat port, per axis", &E::camera_port_tilt_deg),
      row("camera_dome_x_m", "m", 1, "x of its dome's centre", &E::camera_dome_x_m),
      row("camera_dome_y_m", "m", 1, "y of its dome's centre", &E::camera_dome_y_m),
      row("camera_dome_z_m", "m", 1, "z of its dome's centre", &E::camera_dome_z_m),
  };
}

const std::vector<ErrorRow>& error_rows() {
  static const std::vector<ErrorRow> rows = [] {
    std::vector<ErrorRow> all = shared_errors();
    for (ErrorRow& row : own_errors()) all.push_back(std::move(row));
    all.push_back({number_parameter("as_pinhole_m", "m", 0.0, 0, 1000,
                                    "calibrations are the best pinhole cameras at this distance from them, "
                                    "without water or port; 0: as they are"),
                   &CalibrationError::as_pinhole_m});
    return all;
  }();
  return rows;
}

[[noreturn]] void refuse_error(const char* what, const char* names) {
  throw input_error("perturb: these cameras look through no {}, so {} not apply to them", what, names);
}

WaterInterface water_to_perturb(const Rig& rig) {
  const auto water = level_water(rig);
  if (!water) refuse_error("level water", "water_z_m and tilt_deg do");
  return *water;
}

void require_ports(const Rig& rig, const CalibrationError& e) {
  const auto any = [&](auto&& is) { return std::ranges::any_of(rig.cameras, is); };
  const auto has_port = [&](std::optional<PortModel> model) {
    return any([&](const Camera& camera) {
      const Port* const port = std::get_if<Port>(&camera.interface);
      return port != nullptr && (!model || port->model == *model);
    });
  };
  if (e.n_water != 0 &&
      !any([](const Camera& camera) { return !std::holds_alternative<NoInterface>(camera.interface); }))
    refuse_error("water", "n_water does");
  if ((e.port_dist_m != 0 || e.port_thick_m != 0 || e.n_glass != 0 || e.camera_port_dist_m != 0 ||
       e.camera_port_thick_m != 0 || e.camera_n_glass != 0) &&
      !has_port({}))
    refuse_error("port", "port_dist_m, port_thick_m and n_glass do");
  if ((e.port_tilt_deg != 0 || e.camera_port_tilt_deg != 0) && !has_port(PortModel::flat))
    refuse_error("flat port", "port_tilt_deg does");
  if ((e.dome_x_m != 0 || e.dome_y_m != 0 || e.dome_z_m != 0 || e.camera_dome_x_m != 0 ||
       e.camera_dome_y_m != 0 || e.camera_dome_z_m != 0) &&
      !has_port(PortModel::dome))
    refuse_error("dome", "dome_x_m, dome_y_m and dome_z_m do");
}

// Adds the errors of the water and the port that camera number `index` looks through.
void add_interface_error(const CalibrationError& error, std::size_t index, Camera& camera) {
  constexpr std::uint32_t kGlass = 16, kTilt = 18, kDome = 20;  // slots
  const auto normals = [&](std::uint32_t slot) { return camera_normals(error.seed, index, slot); };
  if (WaterInterface* const water = std::get_if<WaterInterface>(&camera.interface))
    water->n_water += error.n_water;
  Port* const port = std::get_if<Port>(&camera.interface);
  if (port == nullptr) return;
  const Vec3 glass = normals(kGlass);
  port->n_water += error.n_water;
  port->distance_m += error.port_dist_m + error.camera_port_dist_m * glass.x();
  port->thickness_m += error.port_thick_m + error.camera_port_thick_m * glass.y();
  port->n_glass += error.n_glass + error.camera_n_glass * glass.z();
  if (port->model == PortModel::dome) {
    const Vec3 sigma_m(error.camera_dome_x_m, error.camera_dome_y_m, error.camera_dome_z_m);
    port->axis += Vec3(error.dome_x_m, error.dome_y_m, error.dome_z_m) + sigma_m.cwiseProduct(normals(kDome));
    return;
  }
  Vec3 turn_deg = error.port_tilt_deg * Vec3::UnitY() + error.camera_port_tilt_deg * normals(kTilt);
  turn_deg.z() = 0;
  if (const double angle_rad = turn_deg.norm() * std::numbers::pi / 180; angle_rad > 0)
    port->axis = Eigen::AngleAxisd(angle_rad, turn_deg.normalized()) * port->axis;
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

// Makes everything larger about the middle of the cameras.
void scale_about_middle(double scale, Rig& rig) {
  Vec3 middle_m = Vec3::Zero();
  for (const Camera& camera : rig.cameras)
    middle_m += camera_centre_m(camera.camera_from_world) / static_cast<double>(rig.cameras.size());
  for (Camera& camera : rig.cameras) {
    CameraFromWorld& pose = camera.camera_from_world;
    pose.translation_m = scale * pose.translation_m + (scale - 1) * (pose.rotation * middle_m);
    if (WaterInterface* const water = std::get_if<WaterInterface>(&camera.interface))
      water->water_z_m = middle_m.z() + scale * (water->water_z_m - middle_m.z());
    if (Port* const port = std::get_if<Port>(&camera.interface)) {
      port->distance_m *= scale;
      port->thickness_m *= scale;
      if (port->model == PortModel::dome) port->axis *= scale;
    }
  }
}

// Adds a draw of a covariance's errors.
void add_draw(const std::string& file, std::uint64_t seed, CalibrationError& error) {
  constexpr std::uint32_t kCovariance = 1000;  // slot
  const std::vector<ErrorRow> shared = shared_errors();
  std::vector<ParameterSpec> specs;
  for (const ErrorRow& row : shared) specs.push_back(row.spec);
  const CovarianceRoot of = read_covariance(file, specs);
  Eigen::VectorXd normals(static_cast<Eigen::Index>(of.errors.size()));
  for (std::size_t i = 0; i < of.errors.size(); ++i)
    normals[static_cast<Eigen::Index>(i)] =
        camera_normals(seed, kAllCameras, kCovariance + 2 * static_cast<std::uint32_t>(of.errors[i])).x();
  const Eigen::VectorXd draw = of.root * normals;
  for (std::size_t i = 0; i < of.errors.size(); ++i)
    error.*shared[of.errors[i]].value += draw[static_cast<Eigen::Index>(i)];
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
  static const std::vector<ParameterSpec> specs = [] {
    std::vector<ParameterSpec> all;
    for (const ErrorRow& row : error_rows()) all.push_back(row.spec);
    for (const ErrorRow& row : error_rows())
      if (row.has_sigma)
        all.push_back(number_parameter(
            "sigma_" + row.spec.name, row.spec.unit, 0.0, 0, row.spec.max,
            "standard deviation of " + row.spec.name + ", one draw for all cameras by the seed"));
    all.push_back(
        text_parameter(kCovarianceFile, kNoCovariance,
                       "JSON file: covariance of errors that all cameras share (docs/rig.md), one draw"));
    return all;
  }();
  return specs;
}

CalibrationError calibration_error(const Parameters& parameters, std::uint64_t seed) {
  CalibrationError error;
  error.seed = seed;
  std::uint32_t slot = 0;
  for (const ErrorRow& row : error_rows()) {
    error.*row.value = parameters.number(row.spec.name);
    if (!row.has_sigma) continue;
    error.*row.value +=
        parameters.number("sigma_" + row.spec.name) * camera_normals(seed, kAllCameras, slot).x();
    slot += 2;
  }
  if (const std::string& file = parameters.text(kCovarianceFile); file != kNoCovariance)
    add_draw(file, seed, error);
  return error;
}

bool is_zero(const CalibrationError& error) { return error == CalibrationError{.seed = error.seed}; }

Rig perturbed(const Rig& rig, const CalibrationError& error) {
  require_ports(rig, error);
  Rig out = rig;
  if (error.board_size_pct != 0) scale_about_middle(1 + error.board_size_pct / 100, out);
  const Rig scaled = out;
  if (error.water_z_m != 0) {
    WaterInterface water = water_to_perturb(scaled);
    water.water_z_m += error.water_z_m;
    set_interface(out, water);
  }
  const Eigen::Isometry3d world = world_from_level_water(scaled, error);
  for (Camera& camera : out.cameras) {
    Mat3& k = camera.intrinsics.K;
    k(0, 0) *= 1 + error.focal_pct / 100;
    k(1, 1) *= 1 + error.focal_pct / 100;
    if (error.tilt_deg == 0) continue;  // unchanged to the last bit
    CameraFromWorld& pose = camera.camera_from_world;
    pose.translation_m += pose.rotation * world.translation();
    pose.rotation = pose.rotation * world.rotation();
  }
  for (std::size_t i = 0; i < out.cameras.size(); ++i) {
    add_interface_error(error, i, out.cameras[i]);
    add_own_error(error, i, out.cameras[i]);
  }
  check(out, "perturbed calibration");
  if (error.as_pinhole_m > 0)
    for (Camera& camera : out.cameras) camera = pinhole_fit(camera, error.as_pinhole_m);
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
  for (const char* const name :
       {kFile, "cameras.json", "transforms.json", "transforms_train.json", "transforms_val.json",
        "transforms_test.json", "cams", "Cameras", "colmap_underwater"})
    files.push_back(recording_dir / name);
  for (const char* const place : kColmapPlaces)
    for (const char* const name : {"images", "points3D", "frames"})
      for (const char* const ending : {".bin", ".txt"})
        files.push_back(recording_dir / place / (std::string(name) + ending));
  return files;
}

}  // namespace aqbench
