#include "metrics/protocols/cloud_protocol.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <span>

#include "core/quantiles.h"
#include "metrics/neighbours/nearest_neighbour.h"
#include "metrics/protocols/cloud_truth.h"
#include "metrics/protocols/voxels.h"
#include "metrics/scored_points.h"
#include "scenes/cloud/measurable.h"

namespace aqbench {
namespace {

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

CullRules rules_of(const CloudKnobs& knobs) {
  return {knobs.cull_behind_m, knobs.cull_in_all, knobs.cull_dilate, knobs.cull_outside_stays,
          knobs.cull_to_border};
}

bool culls_cloud(const CloudKnobs& knobs) { return knobs.cull == Cull::cloud || knobs.cull == Cull::both; }

// Keeps the part of a mesh that lies in the masks of all cameras.
TriangleMesh culled_mesh(const TriangleMesh& mesh, const CloudTruth& truth, const CloudKnobs& knobs) {
  const TriangleMesh merged = merged_vertices(mesh);
  return kept_part(merged, truth.seen(merged.vertices_m, rules_of(knobs)), knobs.cull_largest);
}

// Keeps what some camera sees, and returns how many points went.
std::size_t cull_points(const CloudTruth& truth, const CloudKnobs& knobs, std::vector<Vec3>& points_m) {
  const std::vector<bool> seen = truth.seen(points_m, rules_of(knobs));
  std::size_t i = 0;
  return std::erase_if(points_m, [&](const Vec3&) { return !seen[i++]; });
}

// Fills the parts that accuracy and completeness look at.
void mask_parts(const CloudKnobs& knobs, const CloudTruth& truth, Parts& parts, CloudCounts& counts) {
  const bool masked = knobs.mask && truth.mask;
  if (masked)
    counts.outside_mask =
        std::erase_if(parts.cloud_m, [&](const Vec3& point) { return !in_box(*truth.mask, knobs, point); });
  parts.observed_m = parts.cloud_m;
  parts.above_m = parts.truth_m;
  if (masked)
    counts.outside_mask += std::erase_if(
        parts.observed_m, [&](const Vec3& point) { return !is_inside(truth.mask->voxels, point); });
  if (knobs.mask && truth.plane)
    counts.truth_below_plane = std::erase_if(parts.above_m, [&](const Vec3& point) {
      return !(truth.plane->head<3>().dot(point) + (*truth.plane)[3] > 0);
    });
}

Parts select_parts(const CloudKnobs& knobs, const PointCloud& cloud, const TriangleMesh* mesh,
                   const CloudTruth& truth, CloudCounts& counts) {
  Parts parts;
  const bool culls_mesh = mesh != nullptr && culls_cloud(knobs) && knobs.cull_in_all;
  TriangleMesh culled;
  if (culls_mesh) {
    culled = culled_mesh(*mesh, truth, knobs);
    counts.unseen = mesh->vertices_m.size() - culled.vertices_m.size();
    mesh = &culled;
  }
  const std::vector<Vec3> of_mesh = mesh == nullptr
                                        ? std::vector<Vec3>()
                                        : points_of_mesh_m(*mesh, knobs.mesh_cloud, mesh_spacing_m(knobs));
  const std::vector<Vec3>& points_m = mesh == nullptr ? cloud.points_m : of_mesh;
  for (const Vec3& point : points_m)
    if (is_measurable(point)) parts.cloud_m.push_back(rounded(point, knobs.single_precision));
  parts.truth_m = world_points(truth, knobs);
  counts.points = points_m.size();
  counts.non_finite = points_m.size() - parts.cloud_m.size();
  counts.truth_points = parts.truth_m.size();
  if (knobs.crop && truth.crop) {
    counts.outside_crop = std::erase_if(parts.cloud_m, std::not_fn(truth.crop));
    counts.truth_outside_crop = std::erase_if(parts.truth_m, std::not_fn(truth.crop));
  }
  if (culls_cloud(knobs) && !culls_mesh) counts.unseen = cull_points(truth, knobs, parts.cloud_m);
  if (knobs.cull == Cull::truth || knobs.cull == Cull::both)
    counts.truth_unseen = cull_points(truth, knobs, parts.truth_m);
  if (knobs.voxel_m > 0)
    for (std::vector<Vec3>* const part : {&parts.cloud_m, &parts.truth_m})
      *part = voxel_means(*part, knobs.voxel_m);
  if (knobs.thinning_m > 0)
    parts.cloud_m = thin_points(std::move(parts.cloud_m), knobs.thinning_m, knobs.thinning_seed);
  mask_parts(knobs, truth, parts, counts);
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

// What a threshold says of a point.
enum class Verdict : char { unobserved, wrong, right };

// The threshold as the distances are compared with it: in 32 bits its square is rounded, too. A distance that
// equals it in decimals is at the threshold.
double compared_threshold_m(double threshold_m, const CloudKnobs& knobs) {
  if (!knobs.single_precision) return knobs.strict ? threshold_m : within_m(threshold_m);
  const auto narrow = static_cast<float>(threshold_m);
  return std::sqrt(static_cast<double>(narrow * narrow));
}

std::vector<Verdict> judge(const CloudKnobs& knobs, const std::vector<double>& distances_m,
                           const std::vector<bool>& seen_through, double threshold_m) {
  const double limit_m = compared_threshold_m(threshold_m, knobs);
  std::vector<Verdict> verdicts(distances_m.size(), Verdict::unobserved);
  for (std::size_t i = 0; i < distances_m.size(); ++i) {
    const double distance_m = distances_m[i];
    const bool right = knobs.strict ? distance_m < limit_m : distance_m <= limit_m;
    const bool dropped = knobs.drop_from_m > 0 && !(distance_m < knobs.drop_from_m);
    if (right && !dropped)
      verdicts[i] = Verdict::right;
    else if (seen_through.empty() ? !dropped : static_cast<bool>(seen_through[i]))
      verdicts[i] = Verdict::wrong;
  }
  return verdicts;
}

// The share of right ones among those observed; NaN if none is.
double share_of(std::span<const Verdict> verdicts) {
  const auto right = std::ranges::count(verdicts, Verdict::right);
  const auto wrong = std::ranges::count(verdicts, Verdict::wrong);
  return right + wrong == 0 ? kUndefined : static_cast<double>(right) / static_cast<double>(right + wrong);
}

// The mean of the voxels' shares over both grids; NaN if no voxel has an observed point.
double share_by_voxels(const std::vector<Verdict>& verdicts, std::span<const VoxelGroups> grids) {
  double sum = 0;
  std::size_t count = 0;
  std::vector<Verdict> in_voxel;
  for (const VoxelGroups& grid : grids) {
    for (std::size_t v = 0; v + 1 < grid.first.size(); ++v) {
      in_voxel.clear();
      for (std::size_t i = grid.first[v]; i < grid.first[v + 1]; ++i)
        in_voxel.push_back(verdicts[grid.order[i]]);
      const double share = share_of(in_voxel);
      if (std::isnan(share)) continue;
      sum += share;
      ++count;
    }
  }
  return count == 0 ? kUndefined : sum / static_cast<double>(count);
}

// Shares of one side at all thresholds: `precision` or `recall`.
class Shares {
 public:
  Shares(const CloudKnobs& knobs, const std::vector<Vec3>& points_m, const std::vector<double>& distances_m,
         const std::vector<bool>& seen_through)
      : knobs_(knobs), distances_m_(distances_m), seen_through_(seen_through) {
    if (knobs.averaging != Averaging::voxels || distances_m.empty()) return;
    for (const double shift : {0.0, 0.5})
      grids_.push_back(
          group_by_shifted_voxel(points_m, knobs.averaging_voxel_m, shift, knobs.single_precision));
  }

  double at(double threshold_m) const {
    const std::vector<Verdict> verdicts = judge(knobs_, distances_m_, seen_through_, threshold_m);
    return grids_.empty() ? share_of(verdicts) : share_by_voxels(verdicts, grids_);
  }

 private:
  const CloudKnobs& knobs_;
  const std::vector<double>& distances_m_;
  const std::vector<bool>& seen_through_;
  std::vector<VoxelGroups> grids_;
};

struct MeanAndMedian {
  double mean_m = kUndefined, median_m = kUndefined;
};

// Of the sorted distances that are not dropped.
MeanAndMedian mean_and_median(std::span<const double> sorted_m, double drop_from_m) {
  if (drop_from_m > 0) sorted_m = {sorted_m.begin(), std::ranges::lower_bound(sorted_m, drop_from_m)};
  if (sorted_m.empty()) return {};
  const double sum = std::accumulate(sorted_m.begin(), sorted_m.end(), 0.0);
  return {sum / static_cast<double>(sorted_m.size()), median_of_sorted(sorted_m)};
}

std::vector<double> finite_sorted(std::vector<double> distances_m) {
  std::erase_if(distances_m, [](double distance_m) { return !std::isfinite(distance_m); });
  std::ranges::sort(distances_m);
  return distances_m;
}

std::string reason_of(const std::string& reason) {
  return reason.empty() ? "no distance is counted" : reason;
}

}  // namespace

CloudDistances measure_distances(const CloudKnobs& knobs, const PointCloud& cloud, const CloudTruth& truth,
                                 const TriangleMesh* mesh) {
  CloudDistances distances;
  if (knobs.cull != Cull::no && (!truth.seen || !(truth.hides || knobs.cull_in_all))) {
    distances.accuracy_reason = "knob cull: needs cameras and a truth with a surface";
    distances.completeness_reason = distances.accuracy_reason;
    return distances;
  }
  Parts parts = select_parts(knobs, cloud, mesh, truth, distances.counts);
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
  distances.sorted_accuracy_m = finite_sorted(distances.accuracy_m);
  distances.sorted_completeness_m = finite_sorted(distances.completeness_m);
  distances.counts.scored = distances.points_m.size();
  distances.counts.truth_scored = distances.truth_m.size();
  return distances;
}

ProtocolResult summarize_distances(const CloudKnobs& knobs, const CloudDistances& distances) {
  ProtocolResult result;
  const std::string accuracy_reason = reason_of(distances.accuracy_reason);
  const std::string completeness_reason = reason_of(distances.completeness_reason);
  const std::string both = distances.accuracy_reason.empty() ? completeness_reason : accuracy_reason;
  const MeanAndMedian accuracy = mean_and_median(distances.sorted_accuracy_m, knobs.drop_from_m);
  const MeanAndMedian completeness = mean_and_median(distances.sorted_completeness_m, knobs.drop_from_m);
  add_value(result, "accuracy_mean", "m", accuracy.mean_m, accuracy_reason);
  add_value(result, "accuracy_median", "m", accuracy.median_m, accuracy_reason);
  add_value(result, "completeness_mean", "m", completeness.mean_m, completeness_reason);
  add_value(result, "completeness_median", "m", completeness.median_m, completeness_reason);
  add_value(result, "overall", "m", (accuracy.mean_m + completeness.mean_m) / 2, both);

  const std::vector<bool> all_observed;
  const Shares precision(knobs, distances.points_m, distances.accuracy_m, distances.seen_through);
  const Shares recall(knobs, distances.truth_m, distances.completeness_m, all_observed);
  for (const double threshold_m : knobs.thresholds_m) {
    const double p = precision.at(threshold_m), r = recall.at(threshold_m);
    add_value(result, "precision", "1", p, accuracy_reason, threshold_m);
    add_value(result, "recall", "1", r, completeness_reason, threshold_m);
    add_value(result, "f_score", "1", p + r == 0 ? 0.0 : 2 * p * r / (p + r), both, threshold_m);
  }
  return result;
}

ProtocolResult score_by_protocol(const CloudKnobs& knobs, const PointCloud& cloud, const CloudTruth& truth,
                                 const TriangleMesh* mesh) {
  check(knobs);
  return summarize_distances(knobs, measure_distances(knobs, cloud, truth, mesh));
}

std::vector<double> share_curve(std::vector<double> distances_m, double threshold_m) {
  std::vector<double> curve;
  if (distances_m.empty()) return curve;
  std::ranges::sort(distances_m);
  const double step_m = threshold_m / 100;
  for (int i = 0; i < 500; ++i) {
    const auto below = std::ranges::lower_bound(distances_m, i * step_m) - distances_m.begin();
    curve.push_back(static_cast<double>(below) / static_cast<double>(distances_m.size()));
  }
  return curve;
}

}  // namespace aqbench
