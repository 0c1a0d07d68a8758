#pragma once
// Clouds taken as truth: scans, and where their scanner stood.

#include <filesystem>
#include <optional>
#include <string>

#include "scenes/cloud/cloud_file.h"
#include "scenes/cloud/reconstruction.h"

namespace aqbench {

// A cloud that was measured from one place.
struct Scan {
  PointCloud cloud;               // metres, frame of the truth
  std::optional<Vec3> scanner_m;  // where the scanner stood; unset where that is not known
  std::string file;
};

// Reads a scan from a file as read_geometry_file() does; faces are left out. Coordinates are multiplied by
// metres_per_unit. The scanner's place is that of a PCD header, unless the header has it at the origin, which
// writers put there when they do not know it. Throws Error(input) naming the file, also if it has no point.
Scan read_scan(const std::filesystem::path& file, double metres_per_unit = 1);

// Makes a scan of what has been read from its file, in the same way.
Scan scan_of(GeometryFile read, const std::filesystem::path& file, double metres_per_unit);

}  // namespace aqbench
