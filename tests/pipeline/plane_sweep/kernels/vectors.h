#pragma once
// Vectors made by running AquaMVS: $AQBENCH_VECTORS_DIR if set (others of the same kind), else those kept
// here.

#include <cstdlib>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/files.h"
#include "scenes/optics/refractive_camera.h"

namespace aqbench::plane_sweep {

inline nlohmann::json read_vectors(const std::string& name) {
  const char* folder = std::getenv("AQBENCH_VECTORS_DIR");
  const std::filesystem::path path =
      (folder != nullptr ? std::filesystem::path(folder)
                         : std::filesystem::path(AQBENCH_SOURCE_DIR) / "tests/data/vectors") /
      (name + ".json");
  return nlohmann::json::parse(read_file(path));
}

inline void append_numbers(const nlohmann::json& node, std::vector<float>& numbers) {
  if (node.is_array())
    for (const auto& child : node) append_numbers(child, numbers);
  else
    numbers.push_back(node.is_null() ? std::numeric_limits<float>::quiet_NaN() : node.get<float>());
}

// Nested arrays in row-major order; null becomes NaN.
inline std::vector<float> flat_numbers(const nlohmann::json& node) {
  std::vector<float> numbers;
  append_numbers(node, numbers);
  return numbers;
}

inline RefractiveCamera camera_from_vector(const nlohmann::json& node) {
  RefractiveCamera camera;
  camera.width_px = node.at("width").get<int>();
  camera.height_px = node.at("height").get<int>();
  camera.fx_px = node.at("K")[0][0].get<double>();
  camera.fy_px = node.at("K")[1][1].get<double>();
  camera.cx_px = node.at("K")[0][2].get<double>();
  camera.cy_px = node.at("K")[1][2].get<double>();
  std::array<double, 9> rotation;
  std::array<double, 3> translation_m;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) rotation[3 * i + j] = node.at("R")[i][j].get<double>();
    translation_m[i] = node.at("t")[i].get<double>();
  }
  set_pose(camera, rotation, translation_m);
  set_water(camera, node.at("water_z").get<double>(), node.at("n_air").get<double>(),
            node.at("n_water").get<double>());
  return camera;
}

}  // namespace aqbench::plane_sweep
