#include "metrics/protocols/scan_project.h"

#include <utility>

#include "scenes/cloud/scan_project.h"

namespace aqbench {

std::vector<BeamScan> read_scan_project(const std::filesystem::path& path, double metres_per_unit) {
  std::vector<BeamScan> scans;
  for (const ProjectScan& one : scans_of_project(path)) {
    BeamScan scan;
    scan.world_from_scanner = one.world_from_scanner;
    scan.world_from_scanner.topRightCorner<3, 1>() *= metres_per_unit;
    scan.points_m = read_cloud_file(one.file).cloud.points_m;
    for (Vec3& point : scan.points_m) point *= metres_per_unit;
    scans.push_back(std::move(scan));
  }
  return scans;
}

}  // namespace aqbench
