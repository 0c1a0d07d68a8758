#include "scenes/registry.h"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "core/error.h"
#include "scenes/cloud/cloud_file.h"
#include "scenes/surfaces/board.h"
#include "scenes/surfaces/mesh_surface.h"
#include "scenes/surfaces/ripples/ripple_field.h"
#include "scenes/surfaces/shapes.h"

namespace aqbench {
namespace {

using SurfacePtr = std::shared_ptr<const Surface>;

struct SceneEntry {
  SceneSpec spec;
  SurfacePtr (*make)(const Parameters& values, const Patch& patch);
};

ParameterSpec metres(std::string name, double value, double min, double max, std::string help) {
  return number_parameter(std::move(name), "m", value, min, max, std::move(help));
}

ParameterSpec depth(std::string name, std::string help) {
  return metres(std::move(name), 1.178, 0.1, 10, std::move(help));
}

// The scene's own parameters, then the common ones.
std::vector<ParameterSpec> with_patch(std::vector<ParameterSpec> own) {
  const Patch standard;
  own.push_back(metres("x_min_m", standard.x_min_m, -10, 10, "scored patch, smallest x"));
  own.push_back(metres("x_max_m", standard.x_max_m, -10, 10, "scored patch, largest x"));
  own.push_back(metres("y_min_m", standard.y_min_m, -10, 10, "scored patch, smallest y"));
  own.push_back(metres("y_max_m", standard.y_max_m, -10, 10, "scored patch, largest y"));
  return own;
}

SurfacePtr flat_plane(const Parameters& v, const Patch& patch) {
  return make_plane({.depth_m = v.number("depth_m")}, patch);
}

SurfacePtr undulating(const Parameters& v, const Patch& patch) {
  return make_undulating({.base_depth_m = v.number("base_depth_m"),
                          .amplitude_m = v.number("amplitude_m"),
                          .wavelength_m = v.number("wavelength_m"),
                          .wavelength_ratio = v.number("wavelength_ratio")},
                         patch);
}

SurfacePtr tilted_plane(const Parameters& v, const Patch& patch) {
  const double slope = std::tan(v.number("tilt_deg") * std::numbers::pi / 180);
  const double direction = v.number("direction_deg") * std::numbers::pi / 180;
  return make_plane({.depth_m = v.number("depth_m"),
                     .slope_x = slope * std::cos(direction),
                     .slope_y = slope * std::sin(direction)},
                    patch);
}

SurfacePtr step(const Parameters& v, const Patch& patch) {
  return make_step({.base_depth_m = v.number("base_depth_m"),
                    .height_m = v.number("height_m"),
                    .width_m = v.number("width_m"),
                    .position_m = v.number("position_m")},
                   patch);
}

SurfacePtr mound(const Parameters& v, const Patch& patch) {
  return make_mound({.base_depth_m = v.number("base_depth_m"),
                     .height_m = v.number("height_m"),
                     .radius_m = v.number("radius_m"),
                     .center_x_m = v.number("center_x_m"),
                     .center_y_m = v.number("center_y_m")},
                    patch);
}

SurfacePtr ripple_field(const Parameters& v, const Patch& patch) {
  const RippleOptions options{.base_depth_m = v.number("base_depth_m"),
                              .rms_m = v.number("rms_m"),
                              .ripples = v.integer("ripples"),
                              .wavelength_min_m = v.number("wavelength_min_m"),
                              .wavelength_max_m = v.number("wavelength_max_m"),
                              .seed = static_cast<std::uint64_t>(v.integer("seed"))};
  return make_ripple_field(make_ripples(options), patch);
}

std::vector<ParameterSpec> step_parameters() {
  const StepShape s;
  return {depth("base_depth_m", "depth half way down the step"),
          metres("height_m", s.height_m, -1, 1, "how much deeper it is on the side of larger x"),
          metres("width_m", s.width_m, 1e-3, 1, "width in x of the smooth join"),
          metres("position_m", s.position_m, -10, 10, "x of the step's middle")};
}

std::vector<ParameterSpec> mound_parameters() {
  const MoundShape s;
  return {depth("base_depth_m", "depth far from the mound"),
          metres("height_m", s.height_m, -1, 1, "rise towards the cameras; negative: a hollow"),
          metres("radius_m", s.radius_m, 1e-3, 10, "standard deviation of the Gaussian"),
          metres("center_x_m", s.center_x_m, -10, 10, "x of the top"),
          metres("center_y_m", s.center_y_m, -10, 10, "y of the top")};
}

std::vector<ParameterSpec> ripple_parameters() {
  const RippleOptions o;
  return {depth("base_depth_m", "mean depth"),
          metres("rms_m", o.rms_m, 0, 0.1, "root mean square of the height about its mean"),
          count_parameter("ripples", "1", o.ripples, 1, 64, "number of ripples"),
          metres("wavelength_min_m", o.wavelength_min_m, 0.005, 10, "shortest wavelength"),
          metres("wavelength_max_m", o.wavelength_max_m, 0.005, 10, "longest wavelength"),
          count_parameter("seed", "1", static_cast<std::int64_t>(o.seed), 0, 9.007199254740992e15,
                          "of wavelengths, directions and phases")};
}

std::vector<ParameterSpec> undulating_parameters() {
  const UndulatingShape u;
  return {depth("base_depth_m", "mean depth"),
          metres("amplitude_m", u.amplitude_m, 0, 0.1, "amplitude of each sine"),
          metres("wavelength_m", u.wavelength_m, 0.005, 10, "wavelength across x"),
          number_parameter("wavelength_ratio", "1", u.wavelength_ratio, 0.1, 10,
                           "wavelength across y over that across x")};
}

std::vector<ParameterSpec> tilted_plane_parameters() {
  return {depth("depth_m", "depth at x = y = 0"),
          number_parameter("tilt_deg", "deg", 10.0, 0, 80, "angle to the horizontal"),
          number_parameter("direction_deg", "deg", 30.0, -360, 360,
                           "direction of steepest descent, from +x to +y")};
}

SurfacePtr object(const Parameters& v, const Patch&) {
  return make_mesh_surface(object_mesh({.radius_m = v.number("radius_m"),
                                        .relief = v.number("relief"),
                                        .facets = static_cast<int>(v.integer("facets"))}));
}

SurfacePtr room(const Parameters& v, const Patch&) {
  return make_mesh_surface(room_mesh({.length_m = v.number("length_m"),
                                      .width_m = v.number("width_m"),
                                      .height_m = v.number("height_m"),
                                      .relief_m = v.number("relief_m"),
                                      .facets = static_cast<int>(v.integer("facets"))}),
                           MeshSide::inside);
}

ParameterSpec facets(int value, const char* help) {
  return count_parameter("facets", "1", value, 4, 1024, help);
}

std::vector<ParameterSpec> object_parameters() {
  const ObjectShape o;
  return {metres("radius_m", o.radius_m, 0.001, 100, "mean radius, about the origin"),
          number_parameter("relief", "1", o.relief, 0, 0.3, "of bumps and hollows, as a share of the radius"),
          facets(o.facets, "along each side of the six faces that cover it")};
}

std::vector<ParameterSpec> room_parameters() {
  const RoomShape r;
  return {
      metres("length_m", r.length_m, 1, 100, "along x"),
      metres("width_m", r.width_m, 1, 100, "along y"),
      metres("height_m", r.height_m, 1, 100, "along z"),
      metres("relief_m", r.relief_m, 0, 0.2, "how far the walls come in"),
      metres("texture_min_m", 0.004, 0.0001, 10, "shortest wavelength of its texture"),
      metres("texture_max_m", 0.4, 0.001, 100, "longest wavelength of its texture, at most 100 times that"),
      facets(r.facets, "along each side of a wall")};
}

SurfacePtr board(const Parameters& v, const Patch&) { return make_mesh_surface(board_mesh(*board_of(v))); }

const std::vector<SceneEntry>& entries() {
  static const std::vector<SceneEntry> table = {
      {{"flat_plane", "horizontal plane", with_patch({depth("depth_m", "depth of the plane")})}, flat_plane},
      {{"undulating", "sum of two sines, one across x and one across y", with_patch(undulating_parameters())},
       undulating},
      {{"tilted_plane", "inclined plane", with_patch(tilted_plane_parameters())}, tilted_plane},
      {{"step", "two flats joined by a smooth step across x", with_patch(step_parameters())}, step},
      {{"mound", "Gaussian mound", with_patch(mound_parameters())}, mound},
      {{"ripple_field", "seeded sum of ripples of many wavelengths and directions",
        with_patch(ripple_parameters())},
       ripple_field},
      {{"object", "ball with bumps and hollows, a mesh, to look at from all around", object_parameters(),
        false},
       object},
      {{"room", "room with curved walls and three objects, a mesh, to stand in", room_parameters(), false},
       room},
      {{"charuco", "ChArUco board for calibrations, as OpenCV 4.7 and later draw it",
        board_parameters({.marker_m = 0.0225, .dictionary = "DICT_5X5_100"}), false},
       board},
      {{"checkerboard", "chessboard for calibrations", board_parameters({}), false}, board},
  };
  return table;
}

Scene make_mesh_scene(std::string_view name, const std::string& file, const std::vector<Override>& overrides,
                      std::span<const Vec3> cameras_m) {
  if (file.empty()) throw usage_error("scene '{}': expected mesh:FILE.ply", name);
  // A mesh has no parameters: resolve_parameters refuses overrides of it.
  Parameters none = resolve_parameters(name, {}, overrides);
  try {
    return {std::string(name),
            std::move(none),
            {make_mesh_surface(read_mesh_file(file), MeshSide::outside, cameras_m)}};
  } catch (const Error& error) {
    if (!error.file().empty()) throw;
    throw Error(error.kind(), fmt::format("{}: {}", file, error.what()), file);
  }
}

}  // namespace

const std::vector<SceneSpec>& scene_registry() {
  static const std::vector<SceneSpec> specs = [] {
    std::vector<SceneSpec> list;
    for (const SceneEntry& entry : entries()) list.push_back(entry.spec);
    return list;
  }();
  return specs;
}

Scene make_scene(std::string_view name, const std::vector<Override>& overrides,
                 std::span<const Vec3> cameras_m) {
  if (name.starts_with(kMeshPrefix))
    return make_mesh_scene(name, std::string(name.substr(kMeshPrefix.size())), overrides, cameras_m);
  for (const SceneEntry& entry : entries()) {
    if (entry.spec.name != name) continue;
    Parameters values = resolve_parameters(name, entry.spec.parameters, overrides);
    const Patch patch = entry.spec.has_patch ? Patch{values.number("x_min_m"), values.number("x_max_m"),
                                                     values.number("y_min_m"), values.number("y_max_m")}
                                             : Patch{};
    try {
      SurfacePtr surface = entry.make(values, patch);
      return {entry.spec.name, std::move(values), {std::move(surface)}};
    } catch (const Error& error) {  // the shapes name the field; adds its scene
      throw Error(error.kind(), fmt::format("{}.{}", name, error.what()));
    }
  }
  std::vector<std::string> names;
  for (const SceneEntry& entry : entries()) names.push_back(entry.spec.name);
  throw Error(ErrorKind::usage, unknown_name_message("scene", name, names) + " (or mesh:FILE.ply)");
}

}  // namespace aqbench
