#include "scenes/cloud/cloud_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <fstream>
#include <string_view>
#include <utility>
#include <variant>

#include "core/error.h"
#include "core/files.h"
#include "core/text.h"
#include "scenes/cloud/colmap.h"
#include "scenes/cloud/mesh_formats.h"
#include "scenes/cloud/npy.h"
#include "scenes/cloud/pcd.h"
#include "scenes/cloud/ply_blocks.h"
#include "scenes/cloud/ply_read.h"

namespace aqbench {
namespace {

bool is_one_of(std::string_view name, std::initializer_list<std::string_view> list) {
  for (const std::string_view one : list)
    if (name == one) return true;
  return false;
}

// Returns the format as its extension; empty for an unsupported one.
std::string format_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string start(1024, '\0');
  file.read(start.data(), static_cast<std::streamsize>(start.size()));
  start.resize(static_cast<std::size_t>(file.gcount()));
  if (start.starts_with("ply\n") || start.starts_with("ply\r")) return ".ply";
  if (is_pcd(start)) return ".pcd";
  if (is_off(start)) return ".off";
  if (start.starts_with("\x93NUMPY")) return ".npy";
  if (is_colmap_points(path, start)) return "points3D";
  const std::string extension = lower_case(path.extension().string());
  if (is_one_of(extension, {".ply", ".obj", ".off", ".stl", ".pcd", ".npy", ".pts"})) return extension;
  if (is_one_of(extension, {".xyz", ".txt", ".csv", ".asc"})) return ".xyz";
  return "";
}

PointCloud cloud_from_npy(const std::filesystem::path& path) {
  const NpyArray array = read_npy(path);
  const std::size_t columns = array.shape.back();
  if (array.shape.size() < 2 || (columns != 3 && (columns != 6 || array.shape.size() != 2)))
    throw input_error("{}: shape ({}) is not N x 3, N x 6 or H x W x 3", path.string(),
                      fmt::join(array.shape, ", "));
  PointCloud cloud;
  std::visit(
      [&](const auto& values) {
        for (std::size_t i = 0; i + columns <= values.size(); i += columns) {
          cloud.points_m.emplace_back(values[i], values[i + 1], values[i + 2]);
          if (columns == 6) cloud.normals.emplace_back(values[i + 3], values[i + 4], values[i + 5]);
        }
      },
      array.values);
  return cloud;
}

GeometryFile geometry_of(Reconstruction read) {
  return {std::move(read.cloud), std::move(read.mesh), std::nullopt};
}

}  // namespace

GeometryFile read_geometry_file(const std::filesystem::path& path, const TextColumns& columns) {
  regular_file_size(path);  // gives a plain message for a missing file, and does not wait at a pipe
  const std::string format = format_of(path), name = path.string();
  if (columns && format != ".xyz" && format != ".pts")
    throw Error(ErrorKind::input, name + ": is not text with columns to choose from", name);
  if (format == ".ply") {
    PlyFile file = read_ply(path);
    return {std::move(file.cloud), std::move(file.mesh), std::nullopt};
  }
  if (format == ".npy") return {cloud_from_npy(path), std::nullopt, std::nullopt};
  if (format == "points3D") return {read_colmap_points(path), std::nullopt, std::nullopt};
  if (format.empty())
    throw Error(ErrorKind::input,
                name +
                    ": not a supported format (PLY, OBJ, STL, OFF, PCD, NPY, or .xyz, .txt, .pts, "
                    ".csv, .asc with x y z a line, or COLMAP's points3D.bin and .txt)");
  const std::string bytes = read_file(path);
  if (format == ".obj") return geometry_of(read_obj(bytes, name));
  if (format == ".off") return geometry_of(read_off(bytes, name));
  if (format == ".stl") return geometry_of(read_stl(bytes, name));
  if (format == ".pcd") {
    PcdFile file = read_pcd(bytes, name);
    return {std::move(file.cloud), std::nullopt, file.viewpoint};
  }
  return {read_text_points(bytes, name, {format == ".pts", columns}), std::nullopt, std::nullopt};
}

Reconstruction read_cloud_file(const std::filesystem::path& path, const TextColumns& columns) {
  GeometryFile file = read_geometry_file(path, columns);
  return {.cloud = std::move(file.cloud), .mesh = std::move(file.mesh), .depth_maps = {}};
}

std::shared_ptr<const CloudBlocks> open_cloud_blocks(const std::filesystem::path& path,
                                                     std::uint64_t at_least, const TextColumns& columns) {
  regular_file_size(path);
  const std::string format = format_of(path);
  if (format == ".xyz" || format == ".pts")
    return open_text_blocks(path, at_least, {format == ".pts", columns});
  if (columns) return nullptr;
  if (auto blocks = open_ply_blocks(path, at_least)) return blocks;
  for (const auto open : {open_npy_blocks, open_pcd_blocks})
    if (auto blocks = open(path, at_least)) return blocks;
  return nullptr;
}

TriangleMesh read_mesh_file(const std::filesystem::path& path) {
  GeometryFile file = read_geometry_file(path);
  if (!file.mesh) throw Error(ErrorKind::input, path.string() + ": no faces; a mesh is needed");
  return *std::move(file.mesh);
}

Scan read_scan(const std::filesystem::path& file, double metres_per_unit, const TextColumns& columns) {
  return scan_of(read_geometry_file(file, columns), file, metres_per_unit);
}

Scan scan_of(GeometryFile read, const std::filesystem::path& file, double metres_per_unit) {
  if (read.cloud.points_m.empty()) throw Error(ErrorKind::input, file.string() + ": no points");
  Scan scan{std::move(read.cloud), std::nullopt, file.string()};
  for (Vec3& point : scan.cloud.points_m) point *= metres_per_unit;
  if (read.viewpoint && !read.viewpoint->isZero()) scan.scanner_m = *read.viewpoint * metres_per_unit;
  return scan;
}

}  // namespace aqbench
