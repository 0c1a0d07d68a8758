#include "scenes/optics/calibration_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>

#include "core/error.h"
#include "core/files.h"
#include "core/json.h"
#include "core/text.h"
#include "scenes/optics/port_file.h"

namespace aqbench {
namespace {

// A value in the file and the path that leads to it, "FILE: cameras.cam00.intrinsics".
struct CalibrationNode {
  const Json& json;
  std::string path;

  [[noreturn]] void refuse(const std::string& what) const { throw input_error("{}: {}", path, what); }
  const CalibrationNode& require_object() const {
    if (!json.is_object()) refuse(fmt::format("must be an object, got {}", json.type_name()));
    return *this;
  }
  bool has(const char* name) const { return json.is_object() && json.contains(name); }
  CalibrationNode at(const char* name) const {
    require_object();
    const auto found = json.find(name);
    if (found == json.end()) throw Error(ErrorKind::input, field_path(path, name) + ": missing");
    return {*found, field_path(path, name)};
  }
  CalibrationNode at(std::size_t index) const { return {json[index], fmt::format("{}[{}]", path, index)}; }

  double number() const {
    if (!json.is_number()) refuse(fmt::format("must be a number, got {}", json.type_name()));
    const auto value = json.get<double>();
    if (!std::isfinite(value)) refuse("must be finite");
    return value;
  }
  int integer() const {
    const double value = number();
    if (value != std::floor(value) || std::abs(value) > 1e9) refuse("must be an integer");
    return static_cast<int>(value);
  }
  std::string text() const {
    if (!json.is_string()) refuse(fmt::format("must be text, got {}", json.type_name()));
    return json.get<std::string>();
  }
  bool flag(const char* name) const {
    if (!has(name)) return false;
    const CalibrationNode node = at(name);
    if (!node.json.is_boolean()) node.refuse("must be true or false");
    return node.json.get<bool>();
  }
  std::vector<double> numbers() const {
    if (!json.is_array()) refuse(fmt::format("must be a list of numbers, got {}", json.type_name()));
    std::vector<double> values;
    for (std::size_t i = 0; i < json.size(); ++i) values.push_back(at(i).number());
    return values;
  }
  Vec3 vector3() const {
    const std::vector<double> values = numbers();
    if (values.size() != 3) refuse(fmt::format("must be 3 numbers, got {}", values.size()));
    return {values[0], values[1], values[2]};
  }
  Mat3 matrix3() const {
    if (!json.is_array() || json.size() != 3) refuse("must be 3 rows of 3 numbers");
    Mat3 matrix;
    for (int row = 0; row < 3; ++row) matrix.row(row) = at(static_cast<std::size_t>(row)).vector3();
    return matrix;
  }
};

Intrinsics read_intrinsics(const CalibrationNode& node) {
  Intrinsics out;
  out.K = node.at("K").matrix3();
  out.lens = node.flag("is_fisheye") ? LensModel::fisheye : LensModel::brown_conrady;
  out.distortion = node.at("dist_coeffs").numbers();
  const CalibrationNode size = node.at("image_size");
  if (!size.json.is_array() || size.json.size() != 2) size.refuse("must be [width, height]");
  out.width_px = size.at(std::size_t{0}).integer();
  out.height_px = size.at(std::size_t{1}).integer();
  return out;
}

Camera read_camera(const CalibrationNode& node, const std::string& name) {
  Camera camera;
  camera.name = node.at("name").text();
  if (camera.name != name)
    node.at("name").refuse(fmt::format("'{}' differs from its key", escape_bytes(camera.name)));
  camera.intrinsics = read_intrinsics(node.at("intrinsics"));
  const CalibrationNode extrinsics = node.at("extrinsics");
  camera.camera_from_world = {extrinsics.at("R").matrix3(), extrinsics.at("t").vector3()};
  camera.is_auxiliary = node.flag("is_auxiliary");
  return camera;
}

// Reads the indices of refraction; the height is each camera's.
WaterInterface read_water(const CalibrationNode& file, bool may_lack) {
  WaterInterface water;
  if (may_lack && !file.has("interface")) return water;
  const CalibrationNode interface = file.at("interface");
  water.n_air = interface.at("n_air").number();
  water.n_water = interface.at("n_water").number();
  check(water, interface.path);
  if (interface.at("normal").vector3() != Vec3(0, 0, -1))
    interface.at("normal").refuse("only a level surface, [0, 0, -1], is supported");
  return water;
}

// Reads {"model": "FLATPORT" or "DOMEPORT", "params": [8 numbers]}, in the order of the refractive COLMAP.
Port read_port(const CalibrationNode& node) {
  const std::string name = node.at("model").text();
  const auto model = port_model(name);
  if (!model)
    node.at("model").refuse(fmt::format("'{}' is neither FLATPORT nor DOMEPORT", escape_bytes(name)));
  const std::vector<double> p = node.at("params").numbers();
  if (p.size() != kPortNumbers)
    node.at("params").refuse(fmt::format("must be {} numbers, got {}", kPortNumbers, p.size()));
  const Port port = port_of(*model, std::span<const double, kPortNumbers>(p));
  check(port, node.path);
  return port;
}

// Reads the surface that a camera looks through; none where version 1.1 lacks its height.
Interface read_interface(const CalibrationNode& camera, WaterInterface water, bool may_lack) {
  const bool old_name = !camera.has("water_z") && camera.has("interface_distance");
  if (camera.has("port")) {
    const CalibrationNode port = camera.at("port");
    if (!may_lack) port.refuse("needs version '1.1' of the file, which has '1.0'");
    if (old_name || camera.has("water_z"))
      port.refuse("a camera looks through a port or a water surface, not both");
    return read_port(port);
  }
  if (may_lack && !old_name && !camera.has("water_z")) return NoInterface{};
  water.water_z_m = camera.at(old_name ? "interface_distance" : "water_z").number();
  return water;
}

std::vector<Camera> read_cameras(const CalibrationNode& cameras, const WaterInterface& water, bool may_lack) {
  std::vector<Camera> out;
  for (const auto& [name, json] : cameras.require_object().json.items()) {
    const CalibrationNode node{json, field_path(cameras.path, escape_bytes(name))};
    const Interface interface = read_interface(node.require_object(), water, may_lack);
    out.push_back(read_camera(node, name));
    out.back().interface = interface;
    const WaterInterface* const own = level_water(out.back());
    const auto other = std::ranges::find_if(out, [](const Camera& c) { return level_water(c) != nullptr; });
    if (own != nullptr && *level_water(*other) != *own)
      throw input_error("{}: {} m differs from the {} m of camera '{}'; one water surface is supported",
                        field_path(node.path, node.has("water_z") ? "water_z" : "interface_distance"),
                        own->water_z_m, level_water(*other)->water_z_m, escape_bytes(other->name));
  }
  if (out.empty()) cameras.refuse("at least one is needed");
  return out;
}

// Gives cameras the level water at heights of their own: the one surface of all where they agree, else each
// its own pane.
void take_waters(const std::vector<WaterInterface>& waters, const std::string& where, Rig& rig) {
  const bool is_one = std::ranges::all_of(waters, [&](const WaterInterface& w) { return w == waters[0]; });
  for (std::size_t i = 0; i < rig.cameras.size(); ++i) rig.cameras[i].interface = waters[i];
  check(rig, where);
  for (Camera& camera : rig.cameras) {
    if (is_one) continue;
    const auto pane = port_through(camera);
    if (!pane)
      throw input_error("{}: its water differs from that of others and it does not look down",
                        field_path(where, "water_zs." + escape_bytes(camera.name)));
    camera.interface = *pane;
  }
}

// Fields that are required only because other readers use them.
void require_other_sections(const CalibrationNode& file) {
  const CalibrationNode board = file.at("board");
  for (const char* name : {"squares_x", "squares_y", "square_size", "marker_size"}) board.at(name).number();
  board.at("dictionary").text();
  const CalibrationNode diagnostics = file.at("diagnostics");
  for (const char* name : {"reprojection_error_rms", "validation_3d_error_mean", "validation_3d_error_std"})
    diagnostics.at(name);
  diagnostics.at("reprojection_error_per_camera").require_object();
  const CalibrationNode metadata = file.at("metadata");
  for (const char* name : {"calibration_date", "software_version", "config_hash"}) metadata.at(name).text();
  for (const char* name : {"num_frames_used", "num_frames_holdout"}) metadata.at(name).number();
}

Json matrix_json(const Mat3& matrix) {
  Json rows = Json::array();
  for (int row = 0; row < 3; ++row) rows.push_back({matrix(row, 0), matrix(row, 1), matrix(row, 2)});
  return rows;
}

Json camera_json(const Camera& camera) {
  const Intrinsics& intrinsics = camera.intrinsics;
  const Vec3& t_m = camera.camera_from_world.translation_m;
  Json json = {{"name", camera.name},
               {"intrinsics",
                {{"K", matrix_json(intrinsics.K)},
                 {"dist_coeffs", intrinsics.distortion},
                 {"image_size", {intrinsics.width_px, intrinsics.height_px}}}},
               {"extrinsics",
                {{"R", matrix_json(camera.camera_from_world.rotation)}, {"t", {t_m.x(), t_m.y(), t_m.z()}}}}};
  if (const WaterInterface* const water = level_water(camera)) json["water_z"] = water->water_z_m;
  if (const Port* const port = std::get_if<Port>(&camera.interface))
    json["port"] = {{"model", port_name(port->model)}, {"params", port_numbers(*port)}};
  if (intrinsics.lens == LensModel::fisheye) json["intrinsics"]["is_fisheye"] = true;
  if (camera.is_auxiliary) json["is_auxiliary"] = true;
  return json;
}

}  // namespace

std::string calibration_json(const Rig& rig, const CalibrationMetadata& metadata) {
  check(rig, "rig");
  Json cameras = Json::object();
  bool all_have_water = true;
  std::optional<WaterInterface> water;
  for (const Camera& camera : rig.cameras) {
    cameras[camera.name] = camera_json(camera);
    const WaterInterface* const own = level_water(camera);
    if (own == nullptr) all_have_water = false;
    if (own != nullptr && water && *own != *water)
      throw input_error(
          "rig.cameras.{}.interface: differs from another camera's; one "
          "water surface is supported",
          escape_bytes(camera.name));
    if (own != nullptr) water = *own;
  }
  Json file = {{"version", all_have_water ? "1.0" : "1.1"}, {"cameras", cameras}};
  if (water)
    file["interface"] = {{"normal", {0.0, 0.0, -1.0}}, {"n_air", water->n_air}, {"n_water", water->n_water}};
  file.update(Json{
      {"board",
       {{"squares_x", metadata.board.squares_x},
        {"squares_y", metadata.board.squares_y},
        {"square_size", metadata.board.square_m},
        {"marker_size", metadata.board.marker_m},
        {"dictionary", metadata.board.dictionary}}},
      {"diagnostics",
       {{"reprojection_error_rms", 0.0},
        {"reprojection_error_per_camera", Json::object()},
        {"validation_3d_error_mean", 0.0},
        {"validation_3d_error_std", 0.0}}},
      {"metadata",
       {{"calibration_date", metadata.calibration_date},
        {"software_version", metadata.software_version},
        {"config_hash", metadata.config_hash},
        {"num_frames_used", 0},
        {"num_frames_holdout", 0}}},
  });
  return file.dump(1) + "\n";
}

Rig parse_calibration(std::string_view text, const std::string& where) {
  const Json json = parse_strict_json(text, where, kSmallFileJson);
  const CalibrationNode file{json, where + ": "};
  if (!json.is_object()) throw Error(ErrorKind::input, where + ": must hold a JSON object");
  const std::string version = file.at("version").text();
  if (version != "1.0" && version != "1.1")
    file.at("version").refuse(
        fmt::format("'{}' is not supported, only '1.0' and '1.1'", escape_bytes(version)));
  const bool may_lack = version == "1.1";
  Rig rig;
  rig.cameras = read_cameras(file.at("cameras"), read_water(file, may_lack), may_lack);
  if (std::ranges::any_of(rig.cameras, [](const Camera& camera) { return level_water(camera) != nullptr; }))
    file.at("interface");
  require_other_sections(file);
  check(rig, file.path);
  return rig;
}

Rig read_aquacal_truth(const std::filesystem::path& path) {
  const Json json = read_strict_json(path, kSmallFileJson);
  const CalibrationNode file{json, path.string() + ": "};
  const CalibrationNode lenses = file.at("intrinsics"), poses = file.at("extrinsics"),
                        heights = file.at("water_zs");
  Rig rig;
  std::vector<WaterInterface> waters;
  for (const auto& [name, unused] : lenses.require_object().json.items()) {
    const CalibrationNode pose = poses.at(name.c_str());
    Camera camera;
    camera.name = name;
    camera.intrinsics = read_intrinsics(lenses.at(name.c_str()));
    camera.camera_from_world = {pose.at("R").matrix3(), pose.at("t").vector3()};
    rig.cameras.push_back(std::move(camera));
    waters.push_back({.water_z_m = heights.at(name.c_str()).number()});
    for (const auto& [key, index] :
         {std::pair("n_air", &WaterInterface::n_air), {"n_water", &WaterInterface::n_water}})
      if (file.has(key)) waters.back().*index = file.at(key).number();
  }
  if (rig.cameras.empty()) lenses.refuse("at least one camera is needed");
  take_waters(waters, file.path, rig);
  return rig;
}

void write_calibration(const std::filesystem::path& path, const Rig& rig,
                       const CalibrationMetadata& metadata) {
  write_file(path, calibration_json(rig, metadata));
}

Rig read_calibration(const std::filesystem::path& path) {
  return parse_calibration(read_file(path, kSmallFileJson.max_bytes), path.string());
}

}  // namespace aqbench
