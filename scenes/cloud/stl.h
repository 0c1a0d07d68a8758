#pragma once
// Reads STL files, binary and text.
// Format: 3D Systems, "StereoLithography Interface Specification", 1989.

#include <string>
#include <string_view>

#include "scenes/cloud/reconstruction.h"

namespace aqbench {

// Returns whether the bytes are a binary STL file: as long as its count of triangles says, but for zeros or
// line ends that follow.
bool is_binary_stl(std::string_view bytes);

// Reads the triangles. Corners at one place, bit for bit, become one vertex, so that the mesh is connected as
// its writer meant it; the stored normals are skipped. `name` stands in errors for the file. Throws
// Error(input) for a file of the wrong length (binary) or with an unexpected word (text, with its line).
Reconstruction read_stl(std::string_view bytes, const std::string& name);

}  // namespace aqbench
