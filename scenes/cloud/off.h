#pragma once
// Reads OFF files (Geomview's object file format), the text ones.
// Format: http://www.geomview.org/docs/html/OFF.html

#include <string>
#include <string_view>

#include "scenes/cloud/reconstruction.h"

namespace aqbench {

// Returns whether a file that begins with these bytes is an OFF file; its name does not count.
bool is_off(std::string_view start);

// Reads vertices and faces of an OFF, COFF, NOFF or CNOFF file; normals ("N") are kept, colours are skipped,
// polygons are cut into fans of triangles. The counts may follow "OFF" on its line, also without a blank, as
// in ModelNet. `mesh` is set if there are faces. `name` stands in errors for the file. Throws Error(input)
// with name and line for anything else: a vertex that does not exist, fewer records than the header says,
// text after the last one.
Reconstruction read_off(std::string_view bytes, const std::string& name);

}  // namespace aqbench
