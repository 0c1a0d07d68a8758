#include "scenes/dataset/own_rig.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/files.h"
#include "core/json.h"
#include "core/sha256.h"
#include "scenes/dataset/colmap_model.h"
#include "scenes/dataset/layouts.h"
#include "scenes/optics/calibration_file.h"
#include "scenes/optics/refractive_camera.h"
#include "scenes/surfaces/board.h"

namespace aqbench {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kMoveOf =
    "to see the scene where the file's world has it, give --set rig.place=file";

const RigSpec& file_spec() {
  static const RigSpec spec = [] {
    RigSpec rig;
    rig.name = kRigFileOwner;
    rig.summary = "cameras of a file";
    rig.parameters = {
        number_parameter("scale", "1", 1, 0.01, 1, "of the images: 0.5 halves their sides"),
        text_parameter("place", "looked_at",
                       "where the scene stands: where the cameras look, or where the file's world has it",
                       {"looked_at", "file"}),
        number_parameter("distance_m", "m", 0, 0, 1000,
                         "of the scene's middle along each camera's axis; 0: where the axes meet"),
        number_parameter("water_below_m", "m", 0, 0, 1000,
                         "level water this far below the lowest camera, +Z down; 0: what the file has"),
        number_parameter("n_water", "1", 0, 0, 5, "refractive index of the water; 0: the file's, else 1.333"),
    };
    for (const char* const jitter : {"jitter_position_m", "jitter_angle_deg"})
      rig.parameters.push_back(
          *std::ranges::find(find_rig("ring12").parameters, jitter, &ParameterSpec::name));
    return rig;
  }();
  return spec;
}

std::vector<NamedRig>& named_rigs() {
  static std::vector<NamedRig> rigs;
  return rigs;
}

const NamedRig* find_named_rig(std::string_view name) {
  const auto found = std::ranges::find(named_rigs(), name, &NamedRig::name);
  return found == named_rigs().end() ? nullptr : &*found;
}

// ---- Reading ----

std::vector<Camera> read_json_cameras(const fs::path& file) {
  const Json json = read_strict_json(file);
  if (!json.is_object())
    throw input_error.of_file(file.string(),
                              "is no rig: neither of calibration.json, cameras.json, transforms.json");
  if (json.contains("intrinsics") && json.contains("extrinsics")) return read_aquacal_truth(file).cameras;
  if (json.contains("frames")) return read_transforms_cameras(file);
  if (json.contains("cameras") && json.at("cameras").is_array()) return read_cameras_file(file).rig.cameras;
  return read_calibration(file).cameras;
}

// The file of a folder that describes its cameras; empty for a COLMAP model.
fs::path cameras_file_in(const fs::path& dir) {
  if (fs::path file = find_calibration(dir); !file.empty()) return file;
  if (is_file(dir / "cameras.json")) return dir / "cameras.json";
  return find_transforms_file(dir);
}

RigFile read_colmap_rig(const fs::path& dir) {
  ColmapModel model = read_colmap_model(dir);
  check_colmap_frames(model);
  std::string all;
  for (const fs::path& file : model.files) all += sha256_file_hex(file);
  return {{colmap_cameras(model)}, sha256_hex(all)};
}

// ---- Changing ----

void shrink(Intrinsics& inside, double scale) {
  const double x = std::max(1.0, std::round(scale * inside.width_px)) / inside.width_px,
               y = std::max(1.0, std::round(scale * inside.height_px)) / inside.height_px;
  inside.K(0, 0) *= x;
  inside.K(1, 1) *= y;
  inside.K(0, 2) = (inside.K(0, 2) + 0.5) * x - 0.5;
  inside.K(1, 2) = (inside.K(1, 2) + 0.5) * y - 0.5;
  inside.width_px = static_cast<int>(std::lround(x * inside.width_px));
  inside.height_px = static_cast<int>(std::lround(y * inside.height_px));
}

void add_water(const Parameters& parameters, Rig& rig) {
  const double below_m = parameters.number("water_below_m"), n_water = parameters.number("n_water");
  auto water = level_water(rig);
  const bool has_ports = std::ranges::any_of(
      rig.cameras, [](const Camera& camera) { return std::holds_alternative<Port>(camera.interface); });
  if (has_ports && (below_m > 0 || n_water > 0))
    throw usage_error(
        "rig.water_below_m, rig.n_water: its cameras look through ports, which say so themselves");
  if (below_m > 0) {
    double lowest_m = -std::numeric_limits<double>::infinity();
    for (const Camera& camera : rig.cameras)
      lowest_m = std::max(lowest_m, camera_centre_m(camera.camera_from_world).z());
    water = WaterInterface{.water_z_m = lowest_m + below_m};
  }
  if (n_water > 0) {
    if (!water) throw usage_error("rig.n_water: the rig has no water; give rig.water_below_m, too");
    water->n_water = n_water;
  }
  if (water) set_interface(rig, *water);
}

Vec3 middle_of(const Surface& scene) {
  constexpr double kPitch_m = 0.01;
  Eigen::AlignedBox3d box;
  for (const Vec3& vertex : scene.mesh(kPitch_m).vertices_m) box.extend(vertex);
  return box.center();
}

// Where the cameras look, and their mean viewing direction there.
struct LookedAt {
  Vec3 point_m, direction;
};

LookedAt looked_at(const Rig& rig, double distance_m) {
  std::vector<WaterRay> axes;
  LookedAt found{Vec3::Zero(), Vec3::Zero()};
  for (const Camera& camera : rig.cameras) {
    const RefractiveCamera prepared = refractive_camera(camera);
    const auto axis = cast_ray(prepared, Vec2(prepared.cx_px, prepared.cy_px));
    if (!axis)
      throw input_error("rig: camera '{}' does not look into the water, which lies towards +Z; {}",
                        camera.name, kMoveOf);
    const double along_m = distance_m - (to_vec3(axis->origin_m) - to_vec3(prepared.centre_m)).norm();
    if (distance_m > 0 && !(along_m > 0))
      throw usage_error("rig.distance_m={}: the water is farther from camera '{}'", distance_m, camera.name);
    axes.push_back(*axis);
    found.point_m += point_on_ray(*axis, along_m) / static_cast<double>(rig.cameras.size());
    found.direction += to_vec3(axis->direction);
  }
  found.direction.normalize();
  if (distance_m > 0) return found;
  const auto meeting = triangulate(axes);
  if (!meeting)
    throw input_error(
        "rig: the axes of its cameras do not meet; give the distance of the scene, --set "
        "rig.distance_m=METRES");
  found.point_m = *meeting;
  for (std::size_t i = 0; i < axes.size(); ++i)
    if (!((found.point_m - to_vec3(axes[i].origin_m)).dot(to_vec3(axes[i].direction)) > 0))
      throw input_error(
          "rig: the axes of its cameras meet behind camera '{}'; give the distance of the scene, --set "
          "rig.distance_m=METRES, or {}",
          rig.cameras[i].name, kMoveOf);
  return found;
}

void place(const Parameters& parameters, const Scene& scene, Rig& rig) {
  const Surface& surface = *scene.truth.surface;
  const LookedAt seen = looked_at(rig, parameters.number("distance_m"));
  const auto water = level_water(rig);
  Similarity moved;
  if (!water && (surface.patch() != nullptr || board_of(scene.parameters)))
    moved.linear = Eigen::Quaterniond::FromTwoVectors(seen.direction, Vec3::UnitZ()).toRotationMatrix();
  moved.translation_m = middle_of(surface) - moved.rotation() * seen.point_m;
  move_cameras(moved, rig.cameras);
  if (!water) return;
  WaterInterface there = *water;
  there.water_z_m += moved.translation_m.z();
  set_interface(rig, there);
}

}  // namespace

bool is_registered_rig(std::string_view name) {
  return std::ranges::find(rig_registry(), name, &RigSpec::name) != rig_registry().end();
}

void name_rigs(std::vector<NamedRig> rigs) { named_rigs() = std::move(rigs); }

bool is_rig_file(std::string_view rig) {
  if (find_named_rig(rig) != nullptr) return true;
  if (is_registered_rig(rig)) return false;
  return rig.find_first_of("/.") != rig.npos || path_exists(fs::path(rig));
}

fs::path find_calibration(const fs::path& dir) {
  // A name that others use, too, counts with what the file must hold.
  for (const auto& [name, content] : {std::pair("calibration.json", ""),
                                      {"ground_truth.json", "\"water_zs\""},
                                      {"calibration.yaml", "non_svp_model:"},
                                      {"calibration.yml", "non_svp_model:"}})
    if (is_file(dir / name) && (*content == '\0' || read_file(dir / name).find(content) != std::string::npos))
      return dir / name;
  return {};
}

const RigSpec& rig_spec(std::string_view rig) {
  if (is_rig_file(rig)) return file_spec();
  if (is_registered_rig(rig)) return find_rig(rig);
  std::vector<std::string> known = names_of(rig_registry());
  for (const NamedRig& named : named_rigs()) known.push_back(named.name);
  throw Error(ErrorKind::usage, unknown_name_message("rig", rig, known));
}

bool is_owner_of_rig(const std::vector<std::string>& rigs, std::string_view owner) {
  return std::ranges::any_of(rigs, [&](const std::string& rig) { return rig_spec(rig).name == owner; });
}

RigFile read_rig_file(const fs::path& given) {
  const NamedRig* const named = find_named_rig(given.native());
  const fs::path& path = named == nullptr ? given : named->file;
  RigFile read;
  fs::path file = path;
  if (fs::is_directory(path)) {
    file = cameras_file_in(path);
    const fs::path model = find_colmap_model(path);
    if (file.empty() && model.empty())
      throw input_error.of_file(
          path.string(),
          "holds no rig: no calibration.json, ground_truth.json of AquaCal, calibration.yaml of Calibmar, "
          "cameras.json, transforms.json, nor a COLMAP model");
    if (file.empty()) file = model / "cameras.txt";
  }
  if (file.extension() == ".txt" || file.extension() == ".bin") {
    read = read_colmap_rig(file.parent_path());
  } else if (file.extension() == ".yaml" || file.extension() == ".yml") {
    read.rig.cameras = read_calibmar_cameras(file);
    std::string all;
    for (const fs::path& one : calibmar_files(file)) all += sha256_file_hex(one);
    read.sha256 = sha256_hex(all);
  } else {
    read.rig.cameras = read_json_cameras(file);
    read.sha256 = sha256_file_hex(file);
  }
  check(read.rig, path.string() + ": ");
  return read;
}

RigFile make_scene_rig(std::string_view name, const Parameters& parameters, std::uint64_t seed,
                       const Scene* scene) {
  if (!is_rig_file(name)) return {make_rig(find_rig(name), parameters, seed), {}};
  RigFile read = read_rig_file(fs::path(name));
  Rig& rig = read.rig;
  for (Camera& camera : rig.cameras) shrink(camera.intrinsics, parameters.number("scale"));
  add_water(parameters, rig);
  if (scene != nullptr && scene->truth.surface && parameters.text("place") == "looked_at")
    place(parameters, *scene, rig);
  if (parameters.number("jitter_position_m") > 0 || parameters.number("jitter_angle_deg") > 0)
    for (std::size_t i = 0; i < rig.cameras.size(); ++i) {
      CameraFromWorld& pose = rig.cameras[i].camera_from_world;
      pose = jittered_pose(camera_centre_m(pose), pose.rotation, parameters, seed, i);
    }
  check(rig, std::string(kRigFileOwner));
  return read;
}

std::vector<std::string> blind_cameras(const Rig& rig, const TriangleMesh& scene) {
  std::vector<std::string> blind;
  for (const Camera& camera : rig.cameras) {
    const RefractiveCamera prepared = refractive_camera(camera);
    const bool sees = std::ranges::any_of(scene.vertices_m, [&](const Vec3& vertex) {
      const auto seen = project(prepared, vertex);
      return seen && is_in_image(prepared, seen->pixel.x(), seen->pixel.y());
    });
    if (!sees) blind.push_back(camera.name);
  }
  return blind;
}

std::vector<std::string> tell_blind_cameras(const Rig& rig, const Surface& scene) {
  constexpr double kPitch_m = 0.005;
  std::vector<std::string> sentences = blind_cameras(rig, scene.mesh(kPitch_m));
  for (std::string& name : sentences) name = fmt::format("camera {}: sees nothing of the scene", name);
  return sentences;
}

}  // namespace aqbench
