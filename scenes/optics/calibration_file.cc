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
#include "scenes/cloud/json_matrices.h"
#include "scenes/optics/port_file.h"

namespace aqbench {
namespace {

// Whether a member is there and true.
bool flag(const JsonPlace& place, const char* name) {
  const auto found = place.find(name);
  return found && found->boolean();
}

int whole_number(const JsonPlace& place) {
  const double value = place.number();
  if (value != std::floor(value) || std::abs(value) > 1e9) place.fail("must be an integer");
  return static_cast<int>(value);
}

Intrinsics read_intrinsics(const JsonPlace& place) {
  Intrinsics out;
  out.K = matrix_at<3, 3>(place.at("K"));
  out.lens = flag(place, "is_fisheye") ? LensModel::fisheye : LensModel::brown_conrady;
  out.distortion = numbers_at(place.at("dist_coeffs"));
  const std::vector<JsonPlace> size = place.at("image_size").elements();
  if (size.size() != 2) place.at("image_size").fail("must be [width, height]");
  out.width_px = whole_number(size[0]);
  out.height_px = whole_number(size[1]);
  return out;
}

CameraFromWorld read_pose(const JsonPlace& place) {
  return {matrix_at<3, 3>(place.at("R")), Vec3(numbers_at(place.at("t"), 3).data())};
}

Camera read_camera(const JsonPlace& place, const std::string& name) {
  Camera camera;
  camera.name = place.at("name").text();
  if (camera.name != name) place.at("name").fail("'{}' differs from its key", escape_bytes(camera.name));
  camera.intrinsics = read_intrinsics(place.at("intrinsics"));
  camera.camera_from_world = read_pose(place.at("extrinsics"));
  camera.is_auxiliary = flag(place, "is_auxiliary");
  return camera;
}

// Reads the indices of refraction; the height is each camera's.
WaterInterface read_water(const JsonPlace& file, const std::string& source, bool may_lack) {
  WaterInterface water;
  if (may_lack && !file.find("interface")) return water;
  const JsonPlace interface = file.at("interface");
  water.n_air = interface.at("n_air").number();
  water.n_water = interface.at("n_water").number();
  check(water, source + ": interface");
  if (Vec3(numbers_at(interface.at("normal"), 3).data()) != Vec3(0, 0, -1))
    interface.at("normal").fail("only a level surface, [0, 0, -1], is supported");
  return water;
}

// Reads {"model": "FLATPORT" or "DOMEPORT", "params": [8 numbers]}, in the order of the refractive COLMAP.
Port read_port(const JsonPlace& place, const std::string& where) {
  const std::string name = place.at("model").text();
  const auto model = port_model(name);
  if (!model) place.at("model").fail("'{}' is neither FLATPORT nor DOMEPORT", escape_bytes(name));
  const std::vector<double> p = numbers_at(place.at("params"), kPortNumbers);
  const Port port = port_of(*model, std::span<const double, kPortNumbers>(p));
  check(port, where);
  return port;
}

// Reads the surface that a camera looks through; none where version 1.1 lacks its height.
Interface read_interface(const JsonPlace& camera, const std::string& where, WaterInterface water,
                         bool may_lack) {
  const auto port = camera.find("port"), own = camera.find("water_z"),
             height = own ? own : camera.find("interface_distance");
  if (port) {
    if (!may_lack) port->fail("needs version '1.1' of the file, which has '1.0'");
    if (height) port->fail("a camera looks through a port or a water surface, not both");
    return read_port(*port, where + ".port");
  }
  if (may_lack && !height) return NoInterface{};
  water.water_z_m = height ? height->number() : camera.at("water_z").number();
  return water;
}

std::vector<Camera> read_cameras(const JsonPlace& cameras, const std::string& source,
                                 const WaterInterface& water, bool may_lack) {
  std::vector<Camera> out;
  for (const auto& [name, place] : cameras.members()) {
    const std::string where = fmt::format("{}: cameras.{}", source, escape_bytes(name));
    const Interface interface = read_interface(place, where, water, may_lack);
    out.push_back(read_camera(place, name));
    out.back().interface = interface;
    const WaterInterface* const own = level_water(out.back());
    const auto other = std::ranges::find_if(out, [](const Camera& c) { return level_water(c) != nullptr; });
    if (own != nullptr && *level_water(*other) != *own)
      place.at(place.find("water_z") ? "water_z" : "interface_distance")
          .fail("{} m differs from the {} m of camera '{}'; one water surface is supported", own->water_z_m,
                level_water(*other)->water_z_m, escape_bytes(other->name));
  }
  if (out.empty()) cameras.fail("at least one is needed");
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
void require_other_sections(const JsonPlace& file) {
  const JsonPlace board = file.at("board");
  for (const char* name : {"squares_x", "squares_y", "square_size", "marker_size"}) board.at(name).number();
  board.at("dictionary").text();
  const JsonPlace diagnostics = file.at("diagnostics");
  for (const char* name : {"reprojection_error_rms", "validation_3d_error_mean", "validation_3d_error_std"})
    diagnostics.at(name);
  diagnostics.at("reprojection_error_per_camera").members();
  const JsonPlace metadata = file.at("metadata");
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
  const JsonPlace file(json, where);
  const std::string version = file.at("version").text();
  if (version != "1.0" && version != "1.1")
    file.at("version").fail("'{}' is not supported, only '1.0' and '1.1'", escape_bytes(version));
  const bool may_lack = version == "1.1";
  Rig rig;
  rig.cameras = read_cameras(file.at("cameras"), where, read_water(file, where, may_lack), may_lack);
  if (std::ranges::any_of(rig.cameras, [](const Camera& camera) { return level_water(camera) != nullptr; }))
    file.at("interface");
  require_other_sections(file);
  check(rig, where + ": ");
  return rig;
}

Rig read_aquacal_truth(const std::filesystem::path& path) {
  const Json json = read_strict_json(path, kSmallFileJson);
  const JsonPlace file(json, path.string());
  const JsonPlace lenses = file.at("intrinsics"), poses = file.at("extrinsics"),
                  heights = file.at("water_zs");
  Rig rig;
  std::vector<WaterInterface> waters;
  for (const auto& [name, lens] : lenses.members()) {
    Camera camera;
    camera.name = name;
    camera.camera_from_world = read_pose(poses.at(name));
    camera.intrinsics = read_intrinsics(lens);
    rig.cameras.push_back(std::move(camera));
    waters.push_back({.water_z_m = heights.at(name).number()});
    for (const auto& [key, index] :
         {std::pair("n_air", &WaterInterface::n_air), {"n_water", &WaterInterface::n_water}})
      if (const auto given = file.find(key)) waters.back().*index = given->number();
  }
  if (rig.cameras.empty()) lenses.fail("at least one camera is needed");
  take_waters(waters, path.string() + ": ", rig);
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
