#include "scenes/registry.h"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "core/error.h"
#include "scenes/cloud/ply.h"
#include "scenes/surfaces/mesh_surface.h"
#include "scenes/surfaces/surfaces.h"

namespace aqbench {
namespace {

using SurfacePtr = std::shared_ptr<const Surface>;

struct SceneEntry {
  SceneSpec spec;
  SurfacePtr (*make)(const Parameters& values, const Patch& patch);
};

ParameterSpec metres(std::string name, double value, double min, double max, std::string help) {
  return {std::move(name), "m", value, min, max, std::move(help), {}};
}

ParameterSpec depth(std::string name, std::string help) {
  return metres(std::move(name), 1.178, 0.1, 10, std::move(help));
}

// The scene's own parameters, then those that every scene has.
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
  return make_undulating({v.number("base_depth_m"), v.number("amplitude_m"), v.number("wavelength_m"),
                          v.number("wavelength_ratio")},
                         patch);
}

SurfacePtr tilted_plane(const Parameters& v, const Patch& patch) {
  const double slope = std::tan(v.number("tilt_deg") * std::numbers::pi / 180);
  const double direction = v.number("direction_deg") * std::numbers::pi / 180;
  return make_plane({v.number("depth_m"), slope * std::cos(direction), slope * std::sin(direction)}, patch);
}

SurfacePtr step(const Parameters& v, const Patch& patch) {
  return make_step(
      {v.number("base_depth_m"), v.number("height_m"), v.number("width_m"), v.number("position_m")}, patch);
}

SurfacePtr mound(const Parameters& v, const Patch& patch) {
  return make_mound({v.number("base_depth_m"), v.number("height_m"), v.number("radius_m"),
                     v.number("center_x_m"), v.number("center_y_m")},
                    patch);
}

SurfacePtr ripple_field(const Parameters& v, const Patch& patch) {
  const RippleOptions options{v.number("base_depth_m"),     v.number("rms_m"),
                              v.integer("ripples"),         v.number("wavelength_min_m"),
                              v.number("wavelength_max_m"), static_cast<std::uint64_t>(v.integer("seed"))};
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
          {"ripples", "1", o.ripples, 1, 64, "number of ripples", {}},
          metres("wavelength_min_m", o.wavelength_min_m, 0.005, 10, "shortest wavelength"),
          metres("wavelength_max_m", o.wavelength_max_m, 0.005, 10, "longest wavelength"),
          {"seed",
           "1",
           static_cast<std::int64_t>(o.seed),
           0,
           9.007199254740992e15,
           "of wavelengths, directions and phases",
           {}}};
}

const std::vector<SceneEntry>& entries() {
  const UndulatingShape u;
  static const std::vector<SceneEntry> table = {
      {{"flat_plane", "horizontal plane", with_patch({depth("depth_m", "depth of the plane")})}, flat_plane},
      {{"undulating", "sum of two sines, one across x and one across y",
        with_patch({depth("base_depth_m", "mean depth"),
                    metres("amplitude_m", u.amplitude_m, 0, 0.1, "amplitude of each sine"),
                    metres("wavelength_m", u.wavelength_m, 0.005, 10, "wavelength across x"),
                    {"wavelength_ratio",
                     "1",
                     u.wavelength_ratio,
                     0.1,
                     10,
                     "wavelength across y over that across x",
                     {}}})},
       undulating},
      {{"tilted_plane", "inclined plane",
        with_patch(
            {depth("depth_m", "depth at x = y = 0"),
             {"tilt_deg", "deg", 10.0, 0, 80, "angle to the horizontal", {}},
             {"direction_deg", "deg", 30.0, -360, 360, "direction of steepest descent, from +x to +y", {}}})},
       tilted_plane},
      {{"step", "two flats joined by a smooth step across x", with_patch(step_parameters())}, step},
      {{"mound", "Gaussian mound", with_patch(mound_parameters())}, mound},
      {{"ripple_field", "seeded sum of ripples of many wavelengths and directions",
        with_patch(ripple_parameters())},
       ripple_field},
  };
  return table;
}

Scene make_mesh_scene(std::string_view name, const std::string& file,
                      const std::vector<Override>& overrides) {
  if (file.empty()) throw Error(ErrorKind::usage, fmt::format("scene '{}': expected mesh:FILE.ply", name));
  // A mesh has no parameters: an override of it is a mistake that resolve_parameters names.
  Parameters none = resolve_parameters(name, {}, overrides);
  try {
    return {std::string(name), std::move(none), {make_mesh_surface(read_ply_mesh(file))}};
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

Scene make_scene(std::string_view name, const std::vector<Override>& overrides) {
  constexpr std::string_view kMeshPrefix = "mesh:";
  if (name.starts_with(kMeshPrefix))
    return make_mesh_scene(name, std::string(name.substr(kMeshPrefix.size())), overrides);
  for (const SceneEntry& entry : entries()) {
    if (entry.spec.name != name) continue;
    Parameters values = resolve_parameters(name, entry.spec.parameters, overrides);
    const Patch patch{values.number("x_min_m"), values.number("x_max_m"), values.number("y_min_m"),
                      values.number("y_max_m")};
    try {
      SurfacePtr surface = entry.make(values, patch);
      return {entry.spec.name, std::move(values), {std::move(surface)}};
    } catch (const Error& error) {  // the shapes name the field; whose it is, is known here
      throw Error(error.kind(), fmt::format("{}.{}", name, error.what()));
    }
  }
  std::vector<std::string> names;
  for (const SceneEntry& entry : entries()) names.push_back(entry.spec.name);
  throw Error(ErrorKind::usage, unknown_name_message("scene", name, names) + " (or mesh:FILE.ply)");
}

}  // namespace aqbench
