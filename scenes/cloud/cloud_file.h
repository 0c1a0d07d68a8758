#pragma once
// Reads clouds and meshes of other programs.

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "scenes/cloud/cloud_blocks.h"
#include "scenes/cloud/reconstruction.h"

namespace aqbench {

// The content of a file, in the file's unit.
struct GeometryFile {
  PointCloud cloud;                  // of a mesh: its vertices
  std::optional<TriangleMesh> mesh;  // set if the file has faces
  std::optional<Vec3> viewpoint;     // where the sensor was, if the file says so (PCD)
};

// Reads a cloud, and a mesh where there is one. The format follows from the content and the extension:
// - .ply, and any file that starts as a PLY file does: as read_ply (scenes/cloud/ply_read.h).
// - .obj, .off, .stl, .pcd: as scenes/cloud/{obj,off,stl,pcd}.h say; the last three also by their content.
// - .npy: an array of N x 3 coordinates, or N x 6 with normals; of one scan in rows and columns, H x W x 3.
// - .xyz, .txt, .pts, .csv, .asc: as read_text_points (scenes/cloud/text_points.h); the first line of a .pts
//   file may be the number of points.
// A file without points gives an empty cloud; the caller decides whether that is an error. Throws
// Error(input), one line with the file and the line or field at fault, for anything else.
GeometryFile read_geometry_file(const std::filesystem::path& path);

// Reads the same as a reconstruction without depth maps.
Reconstruction read_cloud_file(const std::filesystem::path& path);

// Opens a cloud of at least `at_least` points so that its points are read when they are needed: a binary PLY
// file without faces, a binary PCD file, a NumPy file in C order, or x y z a line. Returns null for any other
// file. Throws as read_geometry_file() does.
std::shared_ptr<const CloudBlocks> open_cloud_blocks(const std::filesystem::path& path,
                                                     std::uint64_t at_least);

// Reads a mesh in any of these formats. Throws Error(input) also for a file without faces.
TriangleMesh read_mesh_file(const std::filesystem::path& path);

}  // namespace aqbench
