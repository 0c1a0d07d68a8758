#include "metrics/protocols/cloud_distances.h"

#include <cmath>

#include "metrics/neighbours/measurable.h"
#include "metrics/neighbours/nearest_neighbour.h"
#include "metrics/protocols/beams.h"
#include "metrics/protocols/voxels.h"
#include "metrics/scored_points.h"

namespace aqbench {
namespace {

// Keeps the points for which keep(point) holds, and returns how many went.
template <class Keep>
std::size_t keep_points(std::vector<Vec3>& points_m, const Keep& keep) {
  return std::erase_if(points_m, [&](const Vec3& point) { return !keep(point); });
}

Vec3 rounded(const Vec3& point, bool single) {
  return single ? Vec3(point.cast<float>().cast<double>()) : point;
}

// A scan's point in the world frame, in 32 bits and in the order of PCL's transformPointCloud: x + (y + (z +
// t)). Other orders differ in the last bit, which puts a point at a voxel's wall on its other side.
Vec3 moved_in_32_bits(const Eigen::Matrix4f& world_from_scanner, const Eigen::Vector3f& point) {
  Eigen::Vector3f moved = world_from_scanner.topRightCorner<3, 1>();
  for (int axis = 2; axis >= 0; --axis) moved = world_from_scanner.col(axis).head<3>() * point[axis] + moved;
  return moved.cast<double>();
}

// The truth's points in the world frame; those of scans moved there in 32 bits if so asked. Of a surface its
// samples.
std::vector<Vec3> world_points(const CloudTruth& truth, const CloudKnobs& knobs) {
  const bool single = knobs.single_precision;
  if (knobs.accuracy == AccuracyRule::surface && !truth.surface_samples_m.empty()) {
    std::vector<Vec3> samples_m = truth.surface_samples_m;
    for (Vec3& sample : samples_m) sample = rounded(sample, single);
    return samples_m;
  }
  std::vector<Vec3> points_m;
  for (const Vec3& point : truth.cloud.points_m)
    if (is_measurable(point)) points_m.push_back(rounded(point, single));
  for (const BeamScan& scan : truth.scans) {
    const Eigen::Matrix4f narrow = scan.world_from_scanner.cast<float>();
    for (const Vec3& point : scan.points_m) {
      if (!is_measurable(point)) continue;
      if (single)
        points_m.push_back(moved_in_32_bits(narrow, point.cast<float>()));
      else
        points_m.push_back(scan.world_from_scanner.topLeftCorner<3, 3>() * point +
                           scan.world_from_scanner.topRightCorner<3, 1>());
    }
  }
  return points_m;
}

bool in_box(const ObservationMask& mask, const CloudKnobs& knobs, const Vec3& point) {
  const Vec3 low = mask.voxels.low_m - Vec3::Constant(knobs.box_below_m);
  const Vec3 high = mask.high_m + Vec3::Constant(knobs.box_above_m);
  return (point.array() >= low.array()).all() && (point.array() < high.array()).all();
}

// The points that take part. Accuracy and completeness look at different parts under DTU's rules.
struct Parts {
  std::vector<Vec3> cloud_m, observed_m;  // of the cloud; those that accuracy looks at
  std::vector<Vec3> truth_m, above_m;     // of the truth; those that completeness looks at
};

void crop_parts(const CloudTruth& truth, Parts& parts, CloudCounts& counts) {
  if (!truth.crop) return;
  counts.outside_crop = keep_points(parts.cloud_m, truth.crop);
  counts.truth_outside_crop = keep_points(parts.truth_m, truth.crop);
}

// Keeps what some camera sees, and returns how many points went.
std::size_t cull_points(const CloudTruth& truth, const CloudKnobs& knobs, std::vector<Vec3>& points_m) {
  const std::vector<bool> seen = truth.seen(points_m, knobs.cull_behind_m, knobs.cull_erosion_px);
  std::vector<Vec3> kept;
  for (std::size_t i = 0; i < points_m.size(); ++i)
    if (seen[i]) kept.push_back(points_m[i]);
  const std::size_t gone = points_m.size() - kept.size();
  points_m = std::move(kept);
  return gone;
}

void cull_parts(const CloudKnobs& knobs, const CloudTruth& truth, Parts& parts, CloudCounts& counts) {
  if (!truth.seen) return;  // measure_distances() says so
  if (knobs.cull == Cull::cloud || knobs.cull == Cull::both)
    counts.unseen = cull_points(truth, knobs, parts.cloud_m);
  if (knobs.cull == Cull::truth || knobs.cull == Cull::both)
    counts.truth_unseen = cull_points(truth, knobs, parts.truth_m);
}

void mean_by_voxel(std::vector<Vec3>& points_m, double size_m) {
  points_m = voxel_means({std::move(points_m), {}, {}}, size_m).points_m;
}

void mask_parts(const CloudKnobs& knobs, const CloudTruth& truth, Parts& parts, CloudCounts& counts) {
  if (truth.mask)
    counts.outside_mask =
        keep_points(parts.cloud_m, [&](const Vec3& point) { return in_box(*truth.mask, knobs, point); });
  parts.observed_m = parts.cloud_m;
  parts.above_m = parts.truth_m;
  if (truth.mask)
    counts.outside_mask += keep_points(
        parts.observed_m, [&](const Vec3& point) { return is_inside(truth.mask->voxels, point); });
  if (truth.plane)
    counts.truth_below_plane = keep_points(parts.above_m, [&](const Vec3& point) {
      return truth.plane->head<3>().dot(point) + (*truth.plane)[3] > 0;
    });
}

Parts select_parts(const CloudKnobs& knobs, const PointCloud& cloud, const CloudTruth& truth,
                   CloudCounts& counts) {
  Parts parts;
  for (const Vec3& point : cloud.points_m)
    if (is_measurable(point)) parts.cloud_m.push_back(rounded(point, knobs.single_precision));
  parts.truth_m = world_points(truth, knobs);
  counts.points = cloud.points_m.size();
  counts.non_finite = cloud.points_m.size() - parts.cloud_m.size();
  counts.truth_points = parts.truth_m.size();
  if (knobs.crop) crop_parts(truth, parts, counts);
  cull_parts(knobs, truth, parts, counts);
  if (knobs.voxel_m > 0) {
    mean_by_voxel(parts.cloud_m, knobs.voxel_m);
    mean_by_voxel(parts.truth_m, knobs.voxel_m);
  }
  if (knobs.thinning_m > 0)
    parts.cloud_m = thin_points(std::move(parts.cloud_m), knobs.thinning_m, knobs.thinning_seed);
  if (knobs.mask) {
    mask_parts(knobs, truth, parts, counts);
  } else {
    parts.observed_m = parts.cloud_m;
    parts.above_m = parts.truth_m;
  }
  return parts;
}

void measure_beams(const CloudKnobs& knobs, const CloudTruth& truth, CloudDistances& distances) {
  if (truth.scans.empty()) {
    distances.accuracy_reason = "needs scans with the positions of their scanners";
    return;
  }
  BeamFindings found =
      compare_with_beams(distances.points_m, truth.scans, {knobs.beam_radius_m, knobs.beam_halfangle_deg},
                         knobs.single_precision);
  distances.accuracy_m = std::move(found.distance_m);
  distances.seen_through = std::move(found.seen_through);
}

void measure_surface(const CloudTruth& truth, CloudDistances& distances) {
  if (truth.surface == nullptr) {
    distances.accuracy_reason = "needs a truth that is a surface";
    return;
  }
  const ScoredPoints scored = score_points(distances.points_m, *truth.surface, truth.surface_part);
  std::vector<Vec3> points_m;
  for (const std::uint32_t i : scored.index) points_m.push_back(distances.points_m[i]);
  distances.points_m = std::move(points_m);
  for (const double error_m : scored.signed_error_m) distances.accuracy_m.push_back(std::abs(error_m));
}

void measure_nearest(const std::vector<Vec3>& truth_m, CloudDistances& distances) {
  if (truth_m.empty())
    distances.accuracy_reason = "no point of the truth is left";
  else
    distances.accuracy_m = cloud_to_cloud_distances_m(distances.points_m, truth_m);
}

}  // namespace

CloudDistances measure_distances(const CloudKnobs& knobs, const PointCloud& cloud, const CloudTruth& truth) {
  CloudDistances distances;
  if (knobs.cull != Cull::no && !truth.seen) {
    distances.accuracy_reason = "knob cull: needs cameras and a truth with a surface";
    distances.completeness_reason = distances.accuracy_reason;
    return distances;
  }
  Parts parts = select_parts(knobs, cloud, truth, distances.counts);
  distances.points_m = std::move(parts.observed_m);
  distances.truth_m = std::move(parts.above_m);
  if (knobs.accuracy == AccuracyRule::beam)
    measure_beams(knobs, truth, distances);
  else if (knobs.accuracy == AccuracyRule::surface)
    measure_surface(truth, distances);
  else
    measure_nearest(parts.truth_m, distances);
  if (distances.points_m.empty()) distances.accuracy_reason = "no point of the cloud is left";
  if (!parts.cloud_m.empty())
    distances.completeness_m = cloud_to_cloud_distances_m(distances.truth_m, parts.cloud_m);
  if (parts.cloud_m.empty()) distances.completeness_reason = "no point of the cloud is left";
  if (distances.truth_m.empty()) distances.completeness_reason = "no point of the truth is left";
  distances.counts.scored = distances.points_m.size();
  distances.counts.truth_scored = distances.truth_m.size();
  return distances;
}

}  // namespace aqbench
