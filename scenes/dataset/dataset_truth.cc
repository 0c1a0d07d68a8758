#include "scenes/dataset/dataset_truth.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "core/error.h"
#include "core/json.h"
#include "scenes/images/images.h"
#include "scenes/optics/calibration_file.h"
#include "scenes/optics/distortion.h"
#include "scenes/optics/refractive_camera.h"
#include "scenes/registry.h"

namespace aqbench {

Scene read_dataset_scene(const std::filesystem::path& dataset_dir) {
  const std::filesystem::path file = dataset_dir / "truth" / "scene.json";
  std::string name;
  std::vector<Override> overrides;
  const Json record = read_strict_json(file, kSmallFileJson);
  const JsonPlace root(record, file.string()), scene = root.at("scene");
  if (root.at("format_version").integer() != 1) root.at("format_version").fail("must be 1");
  name = scene.at("name").text();
  for (const auto& [parameter, value] : scene.at("parameters").members())
    overrides.push_back({name, parameter, value.value().is_string() ? value.text() : value.value().dump()});
  if (!name.starts_with(kMeshPrefix)) return make_scene(name, overrides);
  Scene mesh = make_scene(std::string(kMeshPrefix) + (dataset_dir / "truth" / "surface.ply").string(), {},
                          cameras_of_signs(read_calibration(dataset_dir / "calibration.json")));
  mesh.name = name;
  return mesh;
}

DepthMap read_depth_map(const std::filesystem::path& file, const Camera& camera, std::size_t* far_values) {
  DepthImage image = read_depth_image(file);
  const Intrinsics& inside = camera.intrinsics;
  if (image.width != inside.width_px || image.height != inside.height_px)
    throw input_error("{}: {} x {} values, but camera {} has {} rows x {} columns", file.string(),
                      image.height, image.width, camera.name, inside.height_px, inside.width_px);
  if (image.counts) throw input_error("{}: holds integers; depths are floats in metres", file.string());
  if (far_values != nullptr) *far_values += image.far_values;
  if (file.extension() == ".pfm") make_along_rays(inside, image.values);
  return {camera.name, image.width, image.height, std::move(image.values), {}};
}

Scan scan_of_depths(const DepthMap& depths, const Camera& camera, std::string file) {
  Scan scan;
  scan.file = std::move(file);
  const RefractiveCamera view = refractive_camera(camera);
  std::size_t pixel = 0;
  for (int y = 0; y < depths.height; ++y) {
    for (int x = 0; x < depths.width; ++x) {
      const double depth_m = depths.depth_along_ray_m[pixel++];
      if (!has_depth(depth_m)) continue;
      if (const auto ray = cast_ray(view, Vec2(x, y)))
        scan.cloud.points_m.push_back(point_on_ray(*ray, depth_m));
    }
  }
  if (scan.cloud.points_m.empty()) throw input_error("{}: contains no depth", scan.file);
  return scan;
}

}  // namespace aqbench
