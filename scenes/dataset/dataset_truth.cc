#include "scenes/dataset/dataset_truth.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/files.h"
#include "core/json.h"
#include "scenes/cloud/npy.h"
#include "scenes/registry.h"

namespace aqbench {

Scene read_dataset_scene(const std::filesystem::path& dataset_dir) {
  const std::filesystem::path file = dataset_dir / "truth" / "scene.json";
  std::string name;
  std::vector<Override> overrides;
  try {
    const Json record = read_strict_json(file, kSmallFileJson);
    if (record.at("format_version") != 1)
      throw Error(ErrorKind::input, fmt::format("{}: format_version: must be 1", file.string()));
    const Json& scene = record.at("scene");
    name = scene.at("name").get<std::string>();
    for (const auto& [parameter, value] : scene.at("parameters").items())
      overrides.push_back({name, parameter, value.is_string() ? value.get<std::string>() : value.dump()});
  } catch (const nlohmann::json::exception& error) {
    throw Error(ErrorKind::input, fmt::format("{}: {}", file.string(), error.what()));
  }
  if (!name.starts_with(kMeshPrefix)) return make_scene(name, overrides);
  Scene mesh = make_scene(std::string(kMeshPrefix) + (dataset_dir / "truth" / "surface.ply").string(), {});
  mesh.name = name;
  return mesh;
}

DepthMap read_depth_map(const std::filesystem::path& npy_file, const std::string& camera, int width,
                        int height) {
  NpyArray array = read_npy(npy_file);
  const std::vector<std::size_t> expected = {static_cast<std::size_t>(height),
                                             static_cast<std::size_t>(width)};
  if (array.shape != expected)
    throw Error(ErrorKind::input,
                fmt::format("{}: {} values, but camera {} has {} rows x {} columns", npy_file.string(),
                            fmt::join(array.shape, " x "), camera, height, width));
  DepthMap map{camera, width, height, {}, {}};
  if (auto* floats = std::get_if<std::vector<float>>(&array.values)) {
    map.depth_along_ray_m = std::move(*floats);
  } else {
    const auto& doubles = std::get<std::vector<double>>(array.values);
    map.depth_along_ray_m.assign(doubles.begin(), doubles.end());
  }
  return map;
}

DepthMap read_true_depths(const std::filesystem::path& dataset_dir, const std::string& camera, int width,
                          int height) {
  return read_depth_map(dataset_dir / "truth" / camera / "depth.npy", camera, width, height);
}

}  // namespace aqbench
