#pragma once
// Reconstructions made elsewhere, read from whatever file they came in.

#include <filesystem>

#include "scenes/cloud/reconstruction.h"

namespace aqbench {

// Reads by content and extension:
// - .ply, and any file that starts as PLY does: read_ply (scenes/cloud/ply_read.h); `mesh` is set where it has
// faces.
// - .xyz, .txt, .pts: one point a line, x y z in metres, then any number of further columns, which must be
//   numbers too, as many on every line, and are not used. Columns are separated by blanks and tabs, or by one
//   comma each. Blank lines, and lines that start with '#' or '//', are passed over; a .pts file may start
//   with the number of its points.
// A file without points gives an empty cloud: whether that is an error is for the caller to say.
// Throws Error(input), one line with file and line, for anything else.
Reconstruction read_cloud_file(const std::filesystem::path& path);

}  // namespace aqbench
