#include "metrics/protocols/normal_agreement.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "metrics/mesh_metrics.h"
#include "metrics/neighbours/nearest_neighbour.h"
#include "metrics/numbers/exact_sum.h"
#include "metrics/scored_points.h"
#include "scenes/cloud/measurable.h"

namespace aqbench {
namespace {

// The points that have a normal, these of unit length; in the order of their coordinates, and of the normals
// at one place, so that the order of the cloud does not decide which of equally near points counts.
PointCloud with_unit_normals(const PointCloud& cloud) {
  std::vector<std::array<double, 6>> rows;
  for (std::size_t i = 0; i < cloud.normals.size(); ++i) {
    const double length = cloud.normals[i].norm();
    if (!is_measurable(cloud.points_m[i]) || !std::isfinite(length) || !(length > 0)) continue;
    const Vec3 &point = cloud.points_m[i], normal = cloud.normals[i] / length;
    rows.push_back({point.x(), point.y(), point.z(), normal.x(), normal.y(), normal.z()});
  }
  std::ranges::sort(rows);
  PointCloud kept;
  for (const auto& [x, y, z, nx, ny, nz] : rows) {
    kept.points_m.emplace_back(x, y, z);
    kept.normals.emplace_back(nx, ny, nz);
  }
  return kept;
}

// Keeps the first of the points at each place, those at one place following each other.
PointCloud once_each(const PointCloud& sorted) {
  PointCloud kept;
  for (std::size_t i = 0; i < sorted.points_m.size(); ++i) {
    if (i > 0 && sorted.points_m[i] == sorted.points_m[i - 1]) continue;
    kept.points_m.push_back(sorted.points_m[i]);
    kept.normals.push_back(sorted.normals[i]);
  }
  return kept;
}

double mean_cosine(const PointCloud& from, const PointCloud& all) {
  const PointCloud to = once_each(all);
  const NearestNeighbourIndex index(to.points_m, true);
  std::vector<std::uint32_t> nearest(from.points_m.size());
  index.nearest(from.points_m, nearest);
  const double sum = exact_sum(from.normals.size(), [&](std::size_t i) {
    return std::abs(from.normals[i].dot(to.normals[nearest[i]]));
  });
  return sum / static_cast<double>(from.normals.size());
}

}  // namespace

ProtocolResult normal_agreement(const PointCloud& cloud, const PointCloud& truth) {
  const PointCloud ours = with_unit_normals(cloud), theirs = with_unit_normals(truth);
  const bool both = !ours.points_m.empty() && !theirs.points_m.empty();
  const double accuracy = both ? mean_cosine(ours, theirs) : std::nan("");
  const double completeness = both ? mean_cosine(theirs, ours) : std::nan("");
  const char* const reason = ours.points_m.empty() ? "the cloud has no normals" : "the truth has no normals";
  ProtocolResult result;
  add_value(result, "normals_accuracy", "1", accuracy, reason);
  add_value(result, "normals_completeness", "1", completeness, reason);
  add_value(result, "normals_consistency", "1", (accuracy + completeness) / 2, reason);
  return result;
}

PointCloud vertices_with_normals(const TriangleMesh& mesh) {
  const std::vector<Vec3> normals = vertex_normals(mesh, -Vec3::UnitZ());
  PointCloud cloud;
  for (std::size_t i = 0; i < normals.size(); ++i) {
    if (!has_direction(normals[i])) continue;
    cloud.points_m.push_back(mesh.vertices_m[i]);
    cloud.normals.push_back(normals[i]);
  }
  return cloud;
}

}  // namespace aqbench
