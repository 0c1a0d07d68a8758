#pragma once
// Reads Wavefront OBJ files.
// Format: Wavefront Technologies, "Object Files (.obj)", Advanced Visualizer Manual, appendix B1.

#include <string>
#include <string_view>

#include "scenes/cloud/reconstruction.h"

namespace aqbench {

// Reads the vertices ("v x y z", further numbers skipped) and the faces ("f", with indices from 1 or, when
// negative, from the last vertex; what follows a slash is skipped); polygons are cut into fans of triangles.
// Lines of any other kind are skipped. `mesh` is set if there are faces. `name` stands in errors for the
// file. Throws Error(input) with name and line for a vertex or a face that does not parse.
Reconstruction read_obj(std::string_view bytes, const std::string& name);

}  // namespace aqbench
