#pragma once
// Reads OBJ, OFF and STL files. Each reader takes the bytes of a file and its name for errors, and throws
// Error(input) with that name and the line for what does not parse.

#include <string>
#include <string_view>

#include "scenes/cloud/reconstruction.h"

namespace aqbench {

// Wavefront OBJ (Wavefront Technologies, "Object Files (.obj)", Advanced Visualizer Manual, appendix B1): the
// vertices ("v x y z", further numbers skipped) and the faces ("f", with indices from 1 or, when negative,
// from the last vertex; what follows a slash is skipped); polygons are cut into fans of triangles. Lines of
// any other kind are skipped. `mesh` is set if there are faces.
Reconstruction read_obj(std::string_view bytes, const std::string& name);

// Returns whether a file that begins with these bytes is an OFF file; its name does not count.
bool is_off(std::string_view start);

// Text OFF, COFF, NOFF or CNOFF (http://www.geomview.org/docs/html/OFF.html): vertices and faces; normals
// ("N") are kept, colours are skipped, polygons are cut into fans of triangles. The counts may follow "OFF"
// on its line, also without a blank, as in ModelNet. `mesh` is set if there are faces. Also refuses a vertex
// that does not exist, fewer records than the header says, and text after the last one.
Reconstruction read_off(std::string_view bytes, const std::string& name);

// Returns whether the bytes are a binary STL file: as long as its count of triangles says, but for zeros or
// line ends that follow.
bool is_binary_stl(std::string_view bytes);

// STL, binary and text (3D Systems, "StereoLithography Interface Specification", 1989): the triangles.
// Corners at one place, bit for bit, become one vertex, so that the mesh is connected as its writer meant it;
// the stored normals are skipped. Also refuses a binary file of the wrong length.
Reconstruction read_stl(std::string_view bytes, const std::string& name);

}  // namespace aqbench
