#pragma once
// Reads clouds, meshes and scans of other programs.

#include <Eigen/Core>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "scenes/cloud/cloud_blocks.h"
#include "scenes/cloud/reconstruction.h"
#include "scenes/cloud/text_points.h"

namespace aqbench {

// A cloud that was measured from one place.
struct Scan {
  PointCloud cloud;               // metres, frame of the truth
  std::optional<Vec3> scanner_m;  // where the scanner stood; unset where that is not known
  std::string file;
};

// Reads a cloud, and a mesh where there is one. The format follows from the content and the extension:
// - .ply, and any file that starts as a PLY file does: as read_ply (scenes/cloud/ply.h).
// - .obj, .off, .stl, .pcd: as scenes/cloud/mesh_formats.h says; .off and .pcd also by their content.
// - .npy: an array of N x 3 coordinates, or N x 6 with normals; of one scan in rows and columns, H x W x 3;
//   with `columns` N x any number.
// - COLMAP's points3D.bin and points3D.txt, the latter also by its content: as read_colmap_points
//   (scenes/cloud/colmap.h).
// - .xyz, .txt, .pts, .csv, .asc: as read_text_points (scenes/cloud/text_points.h) with `columns`; the first
//   line of a .pts file may be the number of points.
// A file without points gives an empty cloud; the caller decides whether that is an error. Throws
// Error(input), one line with the file and the line or field at fault, for anything else, columns 4 to 6 of
// an array that are no unit normals included, and for columns of a file that has none.
GeometryFile read_geometry_file(const std::filesystem::path& path, const TextColumns& columns = {});

// Reads the same as a reconstruction without depth maps.
Reconstruction read_cloud_file(const std::filesystem::path& path, const TextColumns& columns = {});

// Opens a cloud of at least `at_least` points so that its points are read when they are needed: a binary PLY
// file without faces, a binary PCD file, a NumPy file in C order, or x y z a line. Returns null for any other
// file. Throws as read_geometry_file() does.
std::shared_ptr<const CloudBlocks> open_cloud_blocks(const std::filesystem::path& path,
                                                     std::uint64_t at_least, const TextColumns& columns = {});

// Reads a mesh in any of these formats. Throws Error(input) also for a file without faces.
TriangleMesh read_mesh_file(const std::filesystem::path& path);

// Reads a scan from a file as read_geometry_file() does; faces are left out. Coordinates are multiplied by
// metres_per_unit. The scanner's place is that of a PCD header, unless the header has it at the origin, which
// writers put there when they do not know it. Throws Error(input) naming the file, also if it has no point.
Scan read_scan(const std::filesystem::path& file, double metres_per_unit = 1,
               const TextColumns& columns = {});

// Makes a scan of what has been read from its file, in the same way.
Scan scan_of(GeometryFile read, const std::filesystem::path& file, double metres_per_unit);

// A scan of a project: its file, in the frame of its scanner, and the pose of that.
struct ProjectScan {
  std::filesystem::path file;
  Eigen::Matrix4d world_from_scanner = Eigen::Matrix4d::Identity();  // rigid; the file's unit
};

// Reads a MeshLab project (.mlp): each <MLMesh filename="..."> is a scan in the frame of its scanner, and its
// <MLMatrix44> is world_from_scanner, rows first. The scans themselves are not read. Throws Error(input)
// naming the file: a project without scans, a matrix without 16 numbers or whose upper part is no rotation
// within 1e-3.
std::vector<ProjectScan> scans_of_project(const std::filesystem::path& project);

// Reads the scans of a project, put into the world frame and multiplied by metres_per_unit; of another file
// its one scan, as read_scan() does. Throws Error(input) naming the file.
std::vector<Scan> read_scans(const std::filesystem::path& file, double metres_per_unit = 1);

}  // namespace aqbench
