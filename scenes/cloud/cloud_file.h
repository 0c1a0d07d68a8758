#pragma once
// Reads reconstructions that other programs made.

#include <filesystem>

#include "scenes/cloud/reconstruction.h"

namespace aqbench {

// Reads a cloud, and a mesh where there is one. The format follows from the content and the extension:
// - .ply, and any file that starts as a PLY file does: as read_ply (scenes/cloud/ply_read.h). `mesh` is set
//   if the file has faces.
// - .xyz, .txt, .pts: one point a line, x y z in metres. Further columns are ignored, but must be numbers,
//   and every line must have as many. Columns are separated by blanks and tabs, or by one comma each. Blank
//   lines, and lines that start with '#' or '//', are skipped. The first line of a .pts file may be the
//   number of points.
// A file without points gives an empty cloud; the caller decides whether that is an error. Throws
// Error(input), one line with file and line, for anything else.
Reconstruction read_cloud_file(const std::filesystem::path& path);

}  // namespace aqbench
