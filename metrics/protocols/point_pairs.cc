#include "metrics/protocols/point_pairs.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "metrics/numbers/exact_sum.h"
#include "metrics/protocols/pose_protocol.h"

namespace aqbench {
namespace {

// The rows or columns that count.
std::pair<std::size_t, std::size_t> middle_of(std::size_t size, int crop_px) {
  const auto crop = static_cast<std::size_t>(crop_px);
  if (crop == 0 || crop >= size) return {0, size};
  return {(size - crop) / 2, (size - crop) / 2 + crop};
}

template <class Value>
Vec3 point_at(std::span<const Value> points_m, std::size_t pixel) {
  return Vec3(points_m[3 * pixel], points_m[3 * pixel + 1], points_m[3 * pixel + 2]);
}

// The mean distance from the origin, at least 1e-8.
double mean_norm(const std::vector<Vec3>& points) {
  const double sum = exact_sum(points.size(), [&](std::size_t i) { return points[i].norm(); });
  return points.empty() ? kUndefined : std::max(sum / (static_cast<double>(points.size()) + 1e-8), 1e-8);
}

// The mean distances of each side, by which it is divided.
struct Sizes {
  double predicted_m = 0, truth_m = 0;
};

void add_errors(ProtocolResult& result, const std::string& prefix, const std::vector<Vec3>& predicted_m,
                const std::vector<Vec3>& truth_m, const std::vector<std::size_t>& ends, const Sizes& sizes) {
  double error = 0, inliers = 0;
  std::size_t begin = 0;
  for (const std::size_t end : ends) {
    const auto sums = exact_sums<3>(end - begin, [&](std::size_t k) {
      const Vec3 truth = truth_m[begin + k] / sizes.truth_m,
                 predicted = predicted_m[begin + k] / sizes.predicted_m;
      if (!(truth.norm() > 0)) return std::array{0.0, 0.0, 0.0};
      const double share = (predicted - truth).norm() / truth.norm();
      const double ratio = std::max(truth.norm() / predicted.norm(), predicted.norm() / truth.norm());
      return std::array{std::isfinite(share) ? share : 0, ratio > 0 && ratio < 1.03 ? 1.0 : 0.0, 1.0};
    });
    error += sums[0] / sums[2];  // NaN of a view without pixels
    inliers += sums[1] / sums[2];
    begin = end;
  }
  const auto views = static_cast<double>(ends.size());
  const char* const reason = truth_m.empty() ? kNoPoint : "a view has no pixel with both points";
  add_value(result, prefix + "abs_rel", "1", error / views, reason);
  add_value(result, prefix + "inlier_1.03", "1", inliers / views, reason);
}

// The mean angle between rays, of all pixels of a view, then of views. One that is not finite counts as 0, as
// published, or does not count.
double ray_error_deg(const PointMaps& maps, bool zero_error) {
  const auto sums = exact_sums<2>(maps.views * maps.height * maps.width, [&](std::size_t i) {
    const double chord = (point_at(maps.predicted_rays, i) - point_at(maps.true_rays, i)).norm();
    const double angle_deg = 360 / std::numbers::pi * std::asin(std::min(chord / 2, 1.0));
    return std::isfinite(angle_deg) ? std::array{angle_deg, 1.0} : std::array{0.0, zero_error ? 1.0 : 0.0};
  });
  return sums[0] / sums[1];
}

void add_poses(ProtocolResult& result, const PointMaps& maps, const Sizes& sizes) {
  Trajectory truth, predicted;
  for (std::size_t view = 0; view < maps.true_poses.size(); ++view) {
    CameraPose of_truth = maps.true_poses[view], of_prediction = maps.predicted_poses[view];
    of_truth.position_m /= sizes.truth_m;
    of_prediction.position_m /= sizes.predicted_m;
    truth.poses.push_back(of_truth);
    predicted.poses.push_back(of_prediction);
  }
  PoseKnobs knobs;
  compare_as(RelativePose::vggt, knobs);
  const bool finite = std::isfinite(sizes.predicted_m) && std::isfinite(sizes.truth_m);
  const ProtocolResult errors = finite ? pose_errors(truth, predicted, knobs) : ProtocolResult();
  for (const auto& [name, unit, threshold] :
       {std::tuple("ate_mean", "1", std::optional<double>()), std::tuple("auc", "1", std::optional(5.0))}) {
    const ProtocolValue* const value = find_value(errors, name, threshold);
    add_value(result, std::string("pose_") + name, unit,
              value == nullptr || !value->value ? kUndefined : *value->value,
              value == nullptr ? "a prediction is not finite" : value->reason, threshold, "deg");
  }
}

}  // namespace

PointPairs select_point_pairs(const PointMaps& maps, const PointMapKnobs& knobs, int crop_px) {
  PointPairs pairs;
  const auto [top, bottom] = middle_of(maps.height, crop_px);
  const auto [left, right] = middle_of(maps.width, crop_px);
  for (std::size_t view = 0; view < maps.views; ++view) {
    for (std::size_t y = top; y < bottom; ++y) {
      for (std::size_t x = left; x < right; ++x) {
        const std::size_t pixel = (view * maps.height + y) * maps.width + x;
        const Vec3 truth_m = point_at(maps.truth_m, pixel), predicted_m = point_at(maps.predicted_m, pixel);
        if (!truth_m.allFinite()) continue;
        ++pairs.true_pixels;
        if (!knobs.zero_error && !predicted_m.allFinite()) continue;
        const bool has_z = !maps.true_z_m.empty();
        if (has_z && !knobs.zero_error && !std::isfinite(maps.predicted_z_m[pixel])) continue;
        if (!maps.confidence.empty() && !(maps.confidence[pixel] >= knobs.min_confidence)) continue;
        pairs.truth_m.push_back(truth_m);
        pairs.predicted_m.push_back(predicted_m);
        if (!has_z) continue;
        pairs.true_z_m.emplace_back(0, 0, maps.true_z_m[pixel]);
        pairs.predicted_z_m.emplace_back(0, 0, maps.predicted_z_m[pixel]);
      }
    }
    pairs.ends.push_back(pairs.truth_m.size());
  }
  return pairs;
}

void add_normed(ProtocolResult& result, const PointMaps& maps, const PointMapKnobs& knobs,
                const PointPairs& pairs) {
  const Sizes sizes{mean_norm(pairs.predicted_m), mean_norm(pairs.truth_m)};
  add_errors(result, "", pairs.predicted_m, pairs.truth_m, pairs.ends, sizes);
  if (!maps.true_z_m.empty())
    add_errors(result, "z_", pairs.predicted_z_m, pairs.true_z_m, pairs.ends, sizes);
  if (!maps.true_rays.empty())
    add_value(result, "rays", "deg", ray_error_deg(maps, knobs.zero_error), "no pixel has both rays");
  if (!maps.true_poses.empty()) add_poses(result, maps, sizes);
  add_value(result, "scale_error", "1", std::abs(sizes.predicted_m - sizes.truth_m) / sizes.truth_m,
            pairs.truth_m.empty() ? kNoPoint : "a prediction is not finite");
}

}  // namespace aqbench
