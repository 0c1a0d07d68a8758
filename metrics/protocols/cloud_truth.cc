#include "metrics/protocols/cloud_truth.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/error.h"
#include "metrics/score_options.h"
#include "scenes/cloud/cloud_file.h"

namespace aqbench {
namespace {

// A scan in the frame of its scanner, of which only the place is known.
BeamScan beam_scan(const Scan& scan) {
  BeamScan beams;
  for (const Vec3& point : scan.cloud.points_m) beams.points_m.push_back(point - *scan.scanner_m);
  beams.world_from_scanner.topRightCorner<3, 1>() = *scan.scanner_m;
  return beams;
}

// Adds a scan's points and, where it has them, normals.
void append_scan(PointCloud& cloud, const PointCloud& scan) {
  cloud.points_m.insert(cloud.points_m.end(), scan.points_m.begin(), scan.points_m.end());
  cloud.normals.insert(cloud.normals.end(), scan.normals.begin(), scan.normals.end());
}

}  // namespace

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

void add_scans(std::vector<Scan> scans, CloudTruth& truth, PointCloud* scanned) {
  const bool known = std::ranges::all_of(scans, [](const Scan& scan) { return scan.scanner_m.has_value(); });
  PointCloud unused;
  PointCloud& points = !known ? truth.cloud : scanned != nullptr ? *scanned : unused;
  for (Scan& scan : scans) {
    if (known) truth.scans.push_back(beam_scan(scan));
    if (!known || !scan.cloud.normals.empty()) append_scan(points, scan.cloud);
  }
  if (points.normals.size() != points.points_m.size()) points.normals.clear();
}

std::vector<Vec3> mesh_samples_m(const Surface& mesh, double spacing_m) {
  constexpr double kMax = 1e8;
  spacing_m = std::min(spacing_m, std::sqrt(mesh.area_m2() / kFewestSamples));
  const double wanted = mesh.area_m2() / (spacing_m * spacing_m);
  if (wanted > kMax)
    throw usage_error(
        "the truth is a mesh of {:.4g} m2: samples {:.3g} mm apart, as the "
        "protocol needs them, are {:.2g}; give points of its surface",
        mesh.area_m2(), 1e3 * spacing_m, wanted);
  return mesh.stratified_samples(spacing_m, ScoreOptions{}.sample_seed).positions_m;
}

}  // namespace aqbench
