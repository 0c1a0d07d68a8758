#include "harness/eval/given_geometry.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include "core/error.h"
#include "core/files.h"
#include "core/sha256.h"
#include "scenes/cloud/ply_source.h"
#include "scenes/triangles/faces.h"

namespace aqbench {
namespace {

// Adds corresponding rows, some thousand at a time.
template <class Row>
void add_rows(Sha256& hash, std::size_t rows, const Row& row) {
  std::string block;
  for (std::size_t i = 0; i < rows; ++i) {
    row(i, block);
    if (block.size() < (1U << 20) && i + 1 < rows) continue;
    hash.add(block);
    block.clear();
  }
}

std::string_view bytes_of(const auto* values, std::size_t count) {
  return {reinterpret_cast<const char*>(values), count * sizeof *values};
}

GeometryFile geometry_of(const GivenGeometry& given) {
  GeometryFile file;
  file.cloud.points_m.assign(given.points.begin(), given.points.end());
  file.cloud.normals.assign(given.normals.begin(), given.normals.end());
  make_unit_length(file.cloud.normals);
  if (given.corners.empty()) return file;
  FaceList faces;
  faces.reserve(given.corners.size() / 3);
  for (std::size_t i = 0; i + 3 <= given.corners.size(); i += 3) {
    const auto corners = given.corners.subspan(i, 3);
    for (const std::uint32_t corner : corners)
      if (corner >= given.points.size())
        throw input_error.of_file(given.name, "triangle {}: has vertex {} of {}", i / 3, corner,
                                  given.points.size());
    faces.add(corners);
  }
  const std::vector<Vec3>& vertices = file.cloud.points_m;
  file.mesh = TriangleMesh{vertices, cut_faces(std::move(faces), vertices, given.name)};
  return file;
}

}  // namespace

const GivenGeometry* find_given(const std::vector<GivenGeometry>& given, const std::string& name) {
  const auto found = std::ranges::find(given, name, &GivenGeometry::name);
  return found == given.end() ? nullptr : &*found;
}

GeometryFile read_geometry(const std::vector<GivenGeometry>& given, const std::string& name,
                           const TextColumns& columns) {
  const GivenGeometry* const known = find_given(given, name);
  if (known == nullptr) return read_geometry_file(name, columns);
  if (columns) throw input_error.of_file(name, "is in memory, where no columns can be chosen");
  return geometry_of(*known);
}

TriangleMesh read_mesh(const std::vector<GivenGeometry>& given, const std::string& name) {
  if (find_given(given, name) == nullptr) return read_mesh_file(name);
  GeometryFile file = read_geometry(given, name);
  if (!file.mesh) throw input_error("{}: no faces; a mesh is needed", name);
  return *std::move(file.mesh);
}

std::string geometry_sha256(const std::vector<GivenGeometry>& given, const std::string& name) {
  const GivenGeometry* const known = find_given(given, name);
  if (known == nullptr && folder_exists(name)) {
    std::vector<std::string> files;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(name))
      if (entry.is_regular_file()) files.push_back(entry.path().lexically_relative(name).generic_string());
    std::ranges::sort(files);
    std::string all;
    for (const std::string& file : files)
      all += file + ' ' + sha256_file_hex(std::filesystem::path(name) / file) + '\n';
    return sha256_hex(all);
  }
  if (known == nullptr) return sha256_file_hex(name);
  std::string head =
      fmt::format("ply\nformat binary_little_endian 1.0\nelement vertex {}\n", known->points.size());
  for (const char* const axis : {"x", "y", "z", "nx", "ny", "nz"})
    if (axis[1] == '\0' || !known->normals.empty()) head += fmt::format("property double {}\n", axis);
  const std::size_t triangles = known->corners.size() / 3;
  if (triangles > 0)
    head += fmt::format("element face {}\nproperty list uchar int vertex_indices\n", triangles);
  Sha256 hash;
  hash.add(head + "end_header\n");
  if (known->normals.empty())
    hash.add(bytes_of(known->points.data(), known->points.size()));
  else
    add_rows(hash, known->points.size(), [&](std::size_t i, std::string& block) {
      block.append(bytes_of(&known->points[i], 1)).append(bytes_of(&known->normals[i], 1));
    });
  add_rows(hash, triangles, [&](std::size_t i, std::string& block) {
    (block += '\3').append(bytes_of(&known->corners[3 * i], 3));
  });
  return hash.hex();
}

}  // namespace aqbench
