#include "scenes/cloud/cloud_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/error.h"
#include "core/files.h"
#include "core/text.h"
#include "scenes/cloud/colmap.h"
#include "scenes/cloud/mesh_formats.h"
#include "scenes/cloud/npy.h"
#include "scenes/cloud/ply.h"

namespace aqbench {
namespace {

bool is_one_of(std::string_view name, std::initializer_list<std::string_view> list) {
  return std::ranges::find(list, name) != list.end();
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

PointCloud cloud_from_npy(const std::filesystem::path& path, const TextColumns& columns) {
  const NpyArray array = read_npy(path);
  const auto point = npy_point(array.shape, columns, path.string());
  if (!point)
    throw input_error("{}: shape ({}) is not {}", path.string(), fmt::join(array.shape, ", "),
                      columns ? "N x columns" : "N x 3, N x 6 or H x W x 3");
  PointCloud cloud;
  std::visit(
      [&](const auto& values) {
        for (std::size_t i = 0; i < values.size(); i += point->columns) {
          const auto [x, y, z] = point->at;
          cloud.points_m.emplace_back(values[i + x], values[i + y], values[i + z]);
          if (point->normal) cloud.normals.emplace_back(values[i + 3], values[i + 4], values[i + 5]);
        }
      },
      array.values);
  require_unit_normals(cloud.normals, path.string());
  return cloud;
}

// Returns what stands between `before` and `after`, and cuts `text` behind it; nullopt if it is not there.
std::optional<std::string_view> take_between(std::string_view& text, std::string_view before,
                                             std::string_view after) {
  const std::size_t first = text.find(before);
  if (first == text.npos) return std::nullopt;
  const std::size_t begin = first + before.size(), end = text.find(after, begin);
  if (end == text.npos) return std::nullopt;
  const std::string_view found = text.substr(begin, end - begin);
  text.remove_prefix(end);
  return found;
}

Eigen::Matrix4d project_matrix(std::string_view text, const std::string& source) {
  std::istringstream words{std::string(text)};
  std::vector<double> numbers;
  for (std::string word; words >> word;) numbers.push_back(parse_double(word).value_or(std::nan("")));
  if (numbers.size() != 16 || !std::ranges::all_of(numbers, [](double n) { return std::isfinite(n); }))
    throw input_error.of_file(source, "MLMatrix44: expected 16 numbers");
  const Eigen::Matrix4d matrix = Eigen::Matrix4d(numbers.data()).transpose();
  const Eigen::Matrix3d turn = matrix.topLeftCorner<3, 3>();
  const double off = (turn * turn.transpose() - Eigen::Matrix3d::Identity()).norm();
  if (off > 1e-3 || turn.determinant() < 0 || matrix.row(3) != Eigen::RowVector4d(0, 0, 0, 1))
    throw input_error.of_file(source, "MLMatrix44: not a rotation and a shift");
  return matrix;
}

// Returns the value of an attribute in either quotes, with the five entities of XML resolved.
std::optional<std::string> attribute_of(std::string_view element, const std::string& name,
                                        const std::string& source) {
  std::optional<std::string_view> quoted = take_between(element, name + "=\"", "\"");
  if (!quoted) quoted = take_between(element, name + "='", "'");
  if (!quoted) return std::nullopt;
  constexpr std::pair<std::string_view, char> kEntities[] = {
      {"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&apos;", '\''}};
  std::string value;
  for (std::size_t at = 0; at < quoted->size(); ++at) {
    const std::string_view rest = quoted->substr(at);
    const auto* const entity =
        std::ranges::find_if(kEntities, [&](const auto& known) { return rest.starts_with(known.first); });
    if (entity == std::end(kEntities) && rest[0] == '&')
      throw input_error.of_file(source, "{}: '{}' is not one of XML's five entities", name,
                                printable(rest.substr(0, rest.find(';') + 1)));
    value += entity == std::end(kEntities) ? rest[0] : entity->second;
    if (entity != std::end(kEntities)) at += entity->first.size() - 1;
  }
  return value;
}

}  // namespace

GeometryFile read_geometry_file(const std::filesystem::path& path, const TextColumns& columns) {
  regular_file_size(path);  // gives a plain message for a missing file, and does not wait at a pipe
  const std::string format = format_of(path), name = path.string();
  if (columns && !is_one_of(format, {".xyz", ".pts", ".npy"}))
    throw input_error.of_file(name, "is neither text nor an array with columns to choose from");
  if (format == ".ply") return read_ply(path);
  if (format == ".npy") return {cloud_from_npy(path, columns)};
  if (format == "points3D") return {read_colmap_points(path)};
  if (format.empty())
    throw input_error(
        "{}: not a supported format (PLY, OBJ, STL, OFF, PCD, NPY, or .xyz, .txt, .pts, .csv, .asc with x y "
        "z a "
        "line, or COLMAP's points3D.bin and .txt)",
        name);
  const std::string bytes = read_file(path);
  if (format == ".obj") return read_obj(bytes, name);
  if (format == ".off") return read_off(bytes, name);
  if (format == ".stl") return read_stl(bytes, name);
  if (format == ".pcd") return read_pcd(bytes, name);
  return {read_text_points(bytes, name, {format == ".pts", columns})};
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
  if (auto blocks = open_npy_blocks(path, at_least, columns)) return blocks;
  if (columns) return nullptr;
  if (auto blocks = open_ply_blocks(path, at_least)) return blocks;
  return open_pcd_blocks(path, at_least);
}

TriangleMesh read_mesh_file(const std::filesystem::path& path) {
  GeometryFile file = read_geometry_file(path);
  if (!file.mesh) throw input_error.of_file(path, "no faces; a mesh is needed");
  return *std::move(file.mesh);
}

Scan read_scan(const std::filesystem::path& file, double metres_per_unit, const TextColumns& columns) {
  return scan_of(read_geometry_file(file, columns), file, metres_per_unit);
}

Scan scan_of(GeometryFile read, const std::filesystem::path& file, double metres_per_unit) {
  if (read.cloud.points_m.empty()) throw input_error("{}: no points", file.string());
  Scan scan{std::move(read.cloud), std::nullopt, file.string()};
  for (Vec3& point : scan.cloud.points_m) point *= metres_per_unit;
  if (read.viewpoint && !read.viewpoint->isZero()) scan.scanner_m = *read.viewpoint * metres_per_unit;
  return scan;
}

std::vector<ProjectScan> scans_of_project(const std::filesystem::path& project) {
  const std::string bytes = read_file(project);
  std::string_view rest = bytes;
  std::vector<ProjectScan> scans;
  while (auto mesh = take_between(rest, "<MLMesh ", "</MLMesh>")) {
    const auto file = attribute_of(*mesh, "filename", project.string());
    if (!file) throw input_error.of_file(project, "MLMesh: no filename");
    ProjectScan& scan = scans.emplace_back();
    scan.file = project.parent_path() / *file;
    if (const auto matrix = take_between(*mesh, "<MLMatrix44>", "</MLMatrix44>"))
      scan.world_from_scanner = project_matrix(*matrix, project.string());
  }
  if (scans.empty()) throw input_error.of_file(project, "no scan (MLMesh)");
  return scans;
}

std::vector<Scan> read_scans(const std::filesystem::path& file, double metres_per_unit) {
  if (lower_case(file.extension().string()) != ".mlp") return {read_scan(file, metres_per_unit)};
  std::vector<Scan> scans;
  for (const ProjectScan& one : scans_of_project(file)) {
    Scan& scan = scans.emplace_back(read_scan(one.file, metres_per_unit));
    const Eigen::Matrix3d turn = one.world_from_scanner.topLeftCorner<3, 3>();
    const Vec3 shift_m = metres_per_unit * one.world_from_scanner.topRightCorner<3, 1>();
    for (Vec3& point : scan.cloud.points_m) point = turn * point + shift_m;
    for (Vec3& normal : scan.cloud.normals) normal = turn * normal;
    scan.scanner_m = shift_m;
  }
  return scans;
}

}  // namespace aqbench
