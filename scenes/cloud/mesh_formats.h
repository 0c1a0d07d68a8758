#pragma once
// Reads OBJ, OFF, STL and PCD files. Each reader takes the bytes of a file and its name for errors, and
// throws Error(input) with that name and the line for what does not parse.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "scenes/cloud/cloud_blocks.h"
#include "scenes/cloud/reconstruction.h"

namespace aqbench {

// Wavefront OBJ (Wavefront Technologies, "Object Files (.obj)", Advanced Visualizer Manual, appendix B1): the
// vertices ("v x y z", further numbers skipped) and the faces ("f", with indices from 1 or, when negative,
// from the last vertex; what follows a slash is skipped); polygons are cut into fans of triangles. Lines of
// any other kind are skipped. `mesh` is set if there are faces.
GeometryFile read_obj(std::string_view bytes, const std::string& name);

// Returns whether a file that begins with these bytes is an OFF file; its name does not count.
bool is_off(std::string_view start);

// Text OFF, COFF, NOFF or CNOFF (http://www.geomview.org/docs/html/OFF.html): vertices and faces; normals
// ("N") are kept, colours are skipped, polygons are cut into fans of triangles. The counts may follow "OFF"
// on its line, also without a blank, as in ModelNet. `mesh` is set if there are faces. Also refuses a vertex
// that does not exist, fewer records than the header says, and text after the last one.
GeometryFile read_off(std::string_view bytes, const std::string& name);

// STL, binary and text (3D Systems, "StereoLithography Interface Specification", 1989): the triangles.
// Corners at one place, bit for bit, become one vertex, so that the mesh is connected as its writer meant it;
// the stored normals are skipped. Also refuses a binary file of the wrong length.
GeometryFile read_stl(std::string_view bytes, const std::string& name);

// PCD files of the Point Cloud Library: ascii, binary and binary_compressed. Format:
// https://pointclouds.org/documentation/tutorials/pcd_file_format.html

// Reads the fields x, y, z, and where present normal_x, normal_y, normal_z; other fields are skipped, and a
// field of COUNT 0 is none. Zeros and line ends may follow the data. `name` stands in errors for the file.
// Throws Error(input) for a header that does not parse, data of another length than it says, and compressed
// data that is damaged.
GeometryFile read_pcd(std::string_view bytes, const std::string& name);

// Returns whether a file that begins with these bytes is a PCD file; its name does not count.
bool is_pcd(std::string_view start);

// Opens a binary PCD file of at least `at_least` points, so that its points are read when they are needed.
// Returns null for any other file, one whose coordinates or normals are whole numbers of 8 bytes included.
// Throws as read_pcd() does, and Error(io) if the file cannot be read.
std::shared_ptr<const CloudBlocks> open_pcd_blocks(const std::filesystem::path& path, std::uint64_t at_least);

}  // namespace aqbench
