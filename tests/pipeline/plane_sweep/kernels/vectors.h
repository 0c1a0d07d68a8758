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
#include "pipeline/plane_sweep/kernels/flat_water_camera.h"

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

inline FlatWaterCamera camera_from_vector(const nlohmann::json& node) {
  FlatWaterCamera camera;
  camera.width_px = node.at("width");
  camera.height_px = node.at("height");
  camera.fx_px = node.at("K")[0][0];
  camera.fy_px = node.at("K")[1][1];
  camera.cx_px = node.at("K")[0][2];
  camera.cy_px = node.at("K")[1][2];
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) camera.rotation[3 * i + j] = node.at("R")[i][j];
    camera.translation_m[i] = node.at("t")[i];
  }
  camera.water_z_m = node.at("water_z");
  camera.n_air = node.at("n_air");
  camera.n_water = node.at("n_water");
  return camera;
}

}  // namespace aqbench::plane_sweep
