#pragma once
// Reads and writes point clouds and triangle meshes as PLY files (Turk, "The PLY polygon file format",
// Stanford 1994): ASCII, binary of both byte orders, coordinates of any scalar type; properties named as
// Open3D, MeshLab and COLMAP write them.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "scenes/cloud/cloud_blocks.h"
#include "scenes/cloud/reconstruction.h"

namespace aqbench {

// Reads vertices, faces and triangle strips: x, y, z, and where present nx, ny, nz (scaled to unit length; a
// zero or non-finite normal becomes NaN), confidence or quality (unchanged, even outside of 0 to 1), and red,
// green and blue: all three uchar, or all three of a floating type, 0 to 1 or 0 to 255; colours of any other
// kind are left out. Everything else is skipped, but must be well-formed. Points that are NaN or infinite are
// kept, and the scorer counts them. Memory used is bounded by a small multiple of the file's size, whatever
// counts its header gives. Throws Error(input), one line with the file and the line, vertex or property at
// fault, for anything else: a truncated file, bytes after the last element (then the header's counts are
// wrong, and the score of a part would be taken for that of the whole), a vertex index out of range, text
// that is no number, faces that cut_faces() refuses (scenes/triangles/faces.h), and faces under another name
// than face or tristrips, which would leave their vertices as a cloud.
GeometryFile read_ply(const std::filesystem::path& path);

// Opens a PLY file of `at_least` vertices or more, whose blocks hold what read_ply() reads. Those of a binary
// file are read from it when they are asked for; a text is read at once, `part_bytes` at a time, and its
// points put into a PointSpool. Returns nullptr for what read_ply() has to read whole, or to refuse: fewer
// vertices, faces, strips, lists, vertices without x, y or z, a text with other records than vertices, a
// binary file that has another size than its header says, and what is no PLY file. Throws Error(input) as
// read_ply() does for a header or a text that is wrong, and Error(io) naming what cannot be read or written.
std::shared_ptr<const CloudBlocks> open_ply_blocks(const std::filesystem::path& path, std::uint64_t at_least,
                                                   std::size_t part_bytes = kTextPartBytes);

// Returns the bytes of a binary PLY file, little endian, with this cloud. Throws Error(input) "NAME: ..." for
// arrays of unequal length.
std::string ply_cloud_bytes(const PointCloud& cloud, const std::string& name = "cloud");

// Writes a cloud to a file that is afterwards whole or absent (write_file). Throws Error(io), and
// Error(input) for arrays of unequal length.
void write_ply_cloud(const std::filesystem::path& path, const PointCloud& cloud);

// Writes a mesh to a file that is afterwards whole or absent. Throws Error(io), and Error(input) for a
// triangle that uses a vertex that does not exist.
void write_ply_mesh(const std::filesystem::path& path, const TriangleMesh& mesh);

}  // namespace aqbench
