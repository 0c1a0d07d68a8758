#include "scenes/cloud/scan.h"

#include <utility>

#include "core/error.h"

namespace aqbench {

Scan read_scan(const std::filesystem::path& file, double metres_per_unit) {
  return scan_of(read_geometry_file(file), file, metres_per_unit);
}

Scan scan_of(GeometryFile read, const std::filesystem::path& file, double metres_per_unit) {
  if (read.cloud.points_m.empty()) throw Error(ErrorKind::input, file.string() + ": no points");
  Scan scan{std::move(read.cloud), std::nullopt, file.string()};
  for (Vec3& point : scan.cloud.points_m) point *= metres_per_unit;
  if (read.viewpoint && !read.viewpoint->isZero()) scan.scanner_m = *read.viewpoint * metres_per_unit;
  return scan;
}

}  // namespace aqbench
