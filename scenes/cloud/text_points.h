#pragma once
// Reads clouds from text: one point a line, x y z and further columns.

#include <string>
#include <string_view>

#include "scenes/cloud/reconstruction.h"

namespace aqbench {

// Reads x y z, one point a line. Columns are separated by blanks and tabs, or by one comma, semicolon or
// vertical bar each. Further columns are skipped, but must be numbers, and every line must have as many. The
// first line may name the columns ("x,y,z,intensity"): then x, y, z and, where present, nx, ny, nz are taken
// by their names. Blank lines, and lines that start with '#' or '//', are skipped. With `count_allowed` the
// first line may be the number of points. `name` stands in errors for the file. Throws Error(input), one line
// with name, line and column, for anything else.
PointCloud read_text_points(std::string_view bytes, const std::string& name, bool count_allowed = false);

}  // namespace aqbench
