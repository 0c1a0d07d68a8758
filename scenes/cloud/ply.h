#pragma once
// Writes point clouds and triangle meshes as PLY files (Turk, "The PLY polygon file format", Stanford 1994).
// Reading them: scenes/cloud/ply_read.h.

#include <filesystem>
#include <string>

#include "scenes/cloud/reconstruction.h"

namespace aqbench {

// The three ways to store the data of a PLY file.
enum class PlyFormat { ascii, binary_little_endian, binary_big_endian };

// How a PLY file is written.
struct PlyWriteOptions {
  PlyFormat format = PlyFormat::binary_little_endian;
  bool double_precision = true;  // false: coordinates and normals as float
};

// Returns the bytes of a PLY file with this cloud. ASCII numbers are the shortest that read back the same.
// Throws Error(input) "NAME: ..." for arrays of unequal length.
std::string ply_cloud_bytes(const PointCloud& cloud, const PlyWriteOptions& options = {},
                            const std::string& name = "cloud");

// Writes a cloud to a file that is afterwards whole or absent (write_file). Throws Error(io), and
// Error(input) for arrays of unequal length.
void write_ply_cloud(const std::filesystem::path& path, const PointCloud& cloud,
                     const PlyWriteOptions& options = {});

// Writes a mesh to a file that is afterwards whole or absent. Throws Error(io), and Error(input) for a
// triangle that uses a vertex that does not exist.
void write_ply_mesh(const std::filesystem::path& path, const TriangleMesh& mesh,
                    const PlyWriteOptions& options = {});

}  // namespace aqbench
