#include "metrics/protocols/cloud_protocol.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>

#include "core/quantiles.h"
#include "metrics/protocols/voxels.h"

namespace aqbench {
namespace {

constexpr double kUndefined = std::numeric_limits<double>::quiet_NaN();

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

// Of the distances that are finite and not dropped. Sorted first: sums then do not depend on an order.
MeanAndMedian mean_and_median(std::vector<double> distances_m, double drop_from_m) {
  std::erase_if(distances_m, [&](double distance_m) {
    return !std::isfinite(distance_m) || (drop_from_m > 0 && !(distance_m < drop_from_m));
  });
  if (distances_m.empty()) return {};
  std::ranges::sort(distances_m);
  const double sum = std::accumulate(distances_m.begin(), distances_m.end(), 0.0);
  return {sum / static_cast<double>(distances_m.size()), median_of_sorted(distances_m)};
}

std::string reason_or(const std::string& reason, const char* other) {
  return reason.empty() ? other : reason;
}

std::string distances_key(const CloudKnobs& knobs) {
  std::string key;
  for (const CloudKnob& knob : cloud_knobs())
    if (knob.of_distances) key += knob.text(knobs) + ' ';
  return key;
}

}  // namespace

ProtocolResult summarize_distances(const CloudKnobs& knobs, const CloudDistances& distances) {
  ProtocolResult result;
  const std::string accuracy_reason = reason_or(distances.accuracy_reason, "no distance is counted");
  const std::string completeness_reason = reason_or(distances.completeness_reason, "no distance is counted");
  const std::string both = distances.accuracy_reason.empty() ? completeness_reason : accuracy_reason;
  const MeanAndMedian accuracy = mean_and_median(distances.accuracy_m, knobs.drop_from_m);
  const MeanAndMedian completeness = mean_and_median(distances.completeness_m, knobs.drop_from_m);
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

ProtocolResult score_by_protocol(const CloudKnobs& knobs, const PointCloud& cloud, const CloudTruth& truth) {
  check(knobs);
  return summarize_distances(knobs, measure_distances(knobs, cloud, truth));
}

std::vector<double> share_curve(const std::vector<double>& distances_m, double threshold_m, double stretch) {
  std::vector<double> sorted = distances_m, curve;
  if (sorted.empty()) return curve;
  std::ranges::sort(sorted);
  const double step_m = threshold_m / 100;
  const auto steps = static_cast<std::size_t>(std::ceil(threshold_m * stretch / step_m - 1e-9));
  for (std::size_t i = 0; i < steps; ++i) {
    const auto below = std::ranges::lower_bound(sorted, static_cast<double>(i) * step_m) - sorted.begin();
    curve.push_back(static_cast<double>(below) / static_cast<double>(sorted.size()));
  }
  return curve;
}

ProtocolResult DistanceCache::score(const CloudKnobs& knobs) {
  check(knobs);
  const std::string key = distances_key(knobs);
  auto found = distances_.find(key);
  if (found == distances_.end())
    found = distances_.emplace(key, measure_distances(knobs, cloud_, truth_)).first;
  return summarize_distances(knobs, found->second);
}

}  // namespace aqbench
