#pragma once
// Reads point clouds and triangle meshes from PLY files: ASCII, binary of both byte orders, coordinates of
// any scalar type. Format: Turk, "The PLY polygon file format", Stanford 1994; properties named as Open3D,
// MeshLab and COLMAP write them.

#include <filesystem>
#include <optional>
#include <span>

#include "scenes/cloud/reconstruction.h"

namespace aqbench {

// What a PLY file holds.
struct PlyFile {
  PointCloud cloud;                  // the vertices, whether there are faces or not
  std::optional<TriangleMesh> mesh;  // set if the file has faces or triangle strips
};

// Reads x, y, z, and where present nx, ny, nz (scaled to unit length; a zero or non-finite normal becomes
// NaN), confidence or quality (unchanged, even outside of 0 to 1), and red, green and blue: all three uchar,
// or all three of a floating type, 0 to 1 or 0 to 255; colours of any other kind are left out. Everything
// else is skipped, but must be well-formed. Points that are NaN or infinite are kept, and the scorer counts
// them. Memory used is bounded by a small multiple of the file's size, whatever counts its header gives.
// Throws Error(input), one line with the file and the line, vertex or property at fault, for anything else: a
// truncated file, bytes after the last element (then the header's counts are wrong, and the score of a part
// would be taken for that of the whole), a vertex index out of range, text that is no number, faces that
// cut_faces() refuses (scenes/triangles/faces.h), and faces under another name than face or tristrips, which
// would leave their vertices as a cloud.
PlyFile read_ply(const std::filesystem::path& path);

// Brings normals to unit length as read_ply() does; those that have about that length stay as they are, so
// that what was written reads back the same.
void make_unit_length(std::span<Vec3> normals);

// Reads the mesh of a PLY file. Throws Error(input) as read_ply does, and for a file without faces.
TriangleMesh read_ply_mesh(const std::filesystem::path& path);

}  // namespace aqbench
