// What a case's output is called by: its hash, and the names of its files.
#include <fmt/format.h>

#include <bit>
#include <string>
#include <string_view>

#include "harness/run_case.h"
#include "scenes/core/sha256.h"

namespace aqbench {
namespace {

std::string count_and_hash(std::string_view name, std::size_t count, const void* data, std::size_t bytes) {
  const std::string_view view(static_cast<const char*>(data), bytes);
  return fmt::format("{} {} {}\n", name, count, sha256_hex(view));
}

template <class Element>
std::string array_line(std::string_view name, const std::vector<Element>& array) {
  return count_and_hash(name, array.size(), array.data(), array.size() * sizeof(Element));
}

}  // namespace

std::string output_sha256(const Reconstruction& reconstruction) {
  static_assert(std::endian::native == std::endian::little && sizeof(Vec3) == 3 * sizeof(double));
  std::string lines = array_line("points_m", reconstruction.cloud.points_m) +
                      array_line("normals", reconstruction.cloud.normals) +
                      array_line("confidence", reconstruction.cloud.confidence);
  if (reconstruction.mesh)
    lines += array_line("vertices_m", reconstruction.mesh->vertices_m) +
             array_line("triangles", reconstruction.mesh->triangles);
  for (const DepthMap& map : reconstruction.depth_maps)
    lines += fmt::format("depth_map {} {} {}\n", map.camera, map.width, map.height) +
             array_line("depth_along_ray_m", map.depth_along_ray_m) +
             array_line("confidence", map.confidence);
  return sha256_hex(lines);
}

std::string file_name_of(std::string_view case_name) {
  constexpr std::size_t max_bytes = 160;
  constexpr std::string_view others = "_.=,+-";
  std::string name;
  bool ambiguous = case_name.find("__") != std::string_view::npos;
  for (const char c : case_name) {
    const bool kept = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                      others.find(c) != std::string_view::npos;
    name += kept ? std::string(1, c) : c == '/' ? "__" : "_";
    ambiguous = ambiguous || (!kept && c != '/');
  }
  if (!ambiguous && name.size() <= max_bytes && !name.starts_with('.')) return name;
  return fmt::format("_{}-{}", name.substr(0, max_bytes), sha256_hex(case_name).substr(0, 8));
}

}  // namespace aqbench
