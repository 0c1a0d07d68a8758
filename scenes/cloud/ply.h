#pragma once
// Point clouds and triangle meshes as PLY files: ASCII, binary of both byte orders, coordinates of any scalar
// type. Format: Turk, "The PLY polygon file format", Stanford 1994; properties named as Open3D, MeshLab and
// COLMAP write them.

#include <filesystem>
#include <optional>
#include <string>

#include "scenes/cloud/reconstruction.h"

namespace aqbench {

struct PlyFile {
  PointCloud cloud;                  // the vertices, faces or not
  std::optional<TriangleMesh> mesh;  // where the file has faces; polygons are cut into fans
};

// Reads x, y, z, and where present nx, ny, nz (scaled to unit length; a zero or non-finite normal becomes
// NaN) and confidence or quality (as it is, 0 to 1 or not). Everything else is skipped, but must be
// well-formed. Values that are NaN or infinite are kept: the scorer counts them. Memory used is bounded by a
// small multiple of the file's size, whatever its header promises. Throws Error(input), one line with the
// file and line, vertex or property at fault, for anything else: a truncated file, bytes after the last
// element (the header's counts are then wrong, and scoring a part of a reconstruction would look like scoring
// all of it), a vertex index out of range, garbage among the numbers.
PlyFile read_ply(const std::filesystem::path& path);

// The vertices alone.
PointCloud read_ply_cloud(const std::filesystem::path& path);

// Throws Error(input) also where there are no faces.
TriangleMesh read_ply_mesh(const std::filesystem::path& path);

enum class PlyFormat { ascii, binary_little_endian, binary_big_endian };

struct PlyWriteOptions {
  PlyFormat format = PlyFormat::binary_little_endian;
  bool double_precision = true;  // false: coordinates and normals as float
};

// The bytes of such a file. Throws Error(input) "NAME: ..." for arrays of unequal length.
std::string ply_cloud_bytes(const PointCloud& cloud, const PlyWriteOptions& options = {},
                            const std::string& name = "cloud");

// Whole or absent (write_file). ASCII numbers are the shortest that read back the same. Throws Error(io), and
// Error(input) for arrays of unequal length.
void write_ply_cloud(const std::filesystem::path& path, const PointCloud& cloud,
                     const PlyWriteOptions& options = {});
void write_ply_mesh(const std::filesystem::path& path, const TriangleMesh& mesh,
                    const PlyWriteOptions& options = {});

}  // namespace aqbench
