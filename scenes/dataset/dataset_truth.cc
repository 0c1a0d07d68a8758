#include "scenes/dataset/dataset_truth.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "core/error.h"
#include "core/json.h"
#include "scenes/cloud/npy.h"
#include "scenes/images/images.h"
#include "scenes/optics/calibration_file.h"
#include "scenes/optics/distortion.h"
#include "scenes/optics/refractive_camera.h"
#include "scenes/registry.h"

namespace aqbench {
namespace {

[[noreturn]] void refuse_depth_size(const std::filesystem::path& file, const std::string& found,
                                    const std::string& camera, int width, int height) {
  throw input_error("{}: {} values, but camera {} has {} rows x {} columns", file.string(), found, camera,
                    height, width);
}

DepthMap read_npy_map(const std::filesystem::path& file, const std::string& camera, int width, int height) {
  NpyArray array = read_npy(file);
  const std::vector<std::size_t> expected = {static_cast<std::size_t>(height),
                                             static_cast<std::size_t>(width)};
  if (array.shape != expected)
    refuse_depth_size(file, fmt::format("{}", fmt::join(array.shape, " x ")), camera, width, height);
  if (array.is_whole) throw input_error("{}: holds integers; depths are floats in metres", file.string());
  DepthMap map{camera, width, height, {}, {}};
  if (auto* floats = std::get_if<std::vector<float>>(&array.values)) {
    map.depth_along_ray_m = std::move(*floats);
  } else {
    const auto& doubles = std::get<std::vector<double>>(array.values);
    map.depth_along_ray_m.assign(doubles.begin(), doubles.end());
  }
  return map;
}

}  // namespace

Scene read_dataset_scene(const std::filesystem::path& dataset_dir) {
  const std::filesystem::path file = dataset_dir / "truth" / "scene.json";
  std::string name;
  std::vector<Override> overrides;
  try {
    const Json record = read_strict_json(file, kSmallFileJson);
    if (record.at("format_version") != 1) throw input_error("{}: format_version: must be 1", file.string());
    const Json& scene = record.at("scene");
    name = scene.at("name").get<std::string>();
    for (const auto& [parameter, value] : scene.at("parameters").items())
      overrides.push_back({name, parameter, value.is_string() ? value.get<std::string>() : value.dump()});
  } catch (const nlohmann::json::exception& error) {
    throw input_error("{}: {}", file.string(), error.what());
  }
  if (!name.starts_with(kMeshPrefix)) return make_scene(name, overrides);
  Scene mesh = make_scene(std::string(kMeshPrefix) + (dataset_dir / "truth" / "surface.ply").string(), {},
                          cameras_of_signs(read_calibration(dataset_dir / "calibration.json")));
  mesh.name = name;
  return mesh;
}

DepthMap read_depth_map(const std::filesystem::path& file, const Camera& camera) {
  const Intrinsics& inside = camera.intrinsics;
  if (file.extension() != ".pfm") return read_npy_map(file, camera.name, inside.width_px, inside.height_px);
  DepthImage image = read_depth_image(file);
  if (image.width != inside.width_px || image.height != inside.height_px)
    refuse_depth_size(file, fmt::format("{} x {}", image.height, image.width), camera.name, inside.width_px,
                      inside.height_px);
  make_along_rays(inside, image.values);
  return {camera.name, image.width, image.height, std::move(image.values), {}};
}

DepthMap read_true_depths(const std::filesystem::path& dataset_dir, const std::string& camera, int width,
                          int height) {
  return read_npy_map(dataset_dir / "truth" / camera / "depth.npy", camera, width, height);
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
