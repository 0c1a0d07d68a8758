#include "metrics/protocols/pose_pairs.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <optional>
#include <utility>

#include "core/error.h"
#include "core/quantiles.h"
#include "metrics/numbers/exact_sum.h"

namespace aqbench {
namespace {

constexpr double kDegPerRad = 180 / std::numbers::pi;

// Of a vector of no length 90 degrees, as COLMAP's vec_angular_dist_deg has it: it points nowhere, and that
// is no agreement.
double direction_angle_deg(const Vec3& a, const Vec3& b) {
  constexpr double kNoLength_m = 1e-10;
  if (a.norm() < kNoLength_m || b.norm() < kNoLength_m) return 90;
  return kDegPerRad * std::atan2(a.cross(b).norm(), a.dot(b));
}

CameraPose product(const CameraPose& a, const CameraPose& b) {
  return {a.rotation * b.rotation, a.rotation * b.position_m + a.position_m};
}

CameraPose inverse(const CameraPose& pose) {
  return {pose.rotation.transpose(), -(pose.rotation.transpose() * pose.position_m)};
}

// The relative pose of cameras i and j as a paper takes it.
CameraPose paired_pose(const std::vector<CameraPose>& poses, std::size_t i, std::size_t j,
                       RelativePose relative) {
  if (relative == RelativePose::vggt) return relative_pose(poses[i], poses[j]);
  if (relative != RelativePose::da3) return relative_pose(poses[j], poses[i]);
  return product(product(relative_pose(poses[0], poses[i]), inverse(poses[j])), poses[0]);
}

double free_angle_deg(const Vec3& a, const Vec3& b) {
  constexpr double kNoLength_m = 1e-15;
  if (a.norm() < kNoLength_m || b.norm() < kNoLength_m) return 90;
  return kDegPerRad * std::atan2(a.cross(b).norm(), std::abs(a.dot(b)));
}

// The angles between two relative poses.
struct PairAngles {
  double turn_deg = 0, direction_deg = 0;
};

PairAngles angles_between(const CameraPose& truth, const CameraPose& pose, const PoseKnobs& knobs) {
  const auto angle = knobs.free_direction ? free_angle_deg : direction_angle_deg;
  const bool has_direction = truth.position_m.norm() >= knobs.min_baseline_m;
  return {rotation_angle_deg(pose.rotation.transpose() * truth.rotation),
          has_direction ? angle(pose.position_m, truth.position_m) : 0};
}

double share_below(const std::vector<double>& errors, double threshold) {
  return static_cast<double>(std::ranges::count_if(errors, [&](double e) { return e < threshold; })) /
         static_cast<double>(errors.size());
}

// ---- Segments ----

// The pose of `to` seen from `from`, as programs compute it that invert the matrix: one that is rounded is no
// exact rotation.
CameraPose inverted_relative(const CameraPose& from, const CameraPose& to) {
  const Eigen::Matrix3d back = from.rotation.inverse();
  return {back * to.rotation, back * (to.position_m - from.position_m)};
}

// Sums of the errors of segments, in the precision of KITTI's program or in 64 bits.
template <class Real>
struct SegmentSums {
  Real translation = 0, rotation_rad = 0;
  std::size_t count = 0;
};

// The length of the way from the first pose to each one.
template <class Real>
std::vector<Real> lengths_m(const std::vector<CameraPose>& poses) {
  std::vector<Real> length_m(poses.size(), Real{0});
  for (std::size_t i = 1; i < poses.size(); ++i) {
    const Eigen::Matrix<Real, 3, 1> step = (poses[i].position_m - poses[i - 1].position_m).cast<Real>();
    length_m[i] = length_m[i - 1] + step.norm();
  }
  return length_m;
}

// `estimate` is as long as `reference`; null where a pose of the reference has no partner.
template <class Real>
SegmentSums<Real> segment_sums(const std::vector<CameraPose>& reference,
                               const std::vector<const CameraPose*>& estimate, const PoseKnobs& knobs) {
  const std::vector<Real> way_m = lengths_m<Real>(reference);
  SegmentSums<Real> sums;
  for (std::size_t first = 0; first < reference.size(); first += static_cast<std::size_t>(knobs.segment_step))
    for (const double given_m : knobs.segments_m) {
      const auto length_m = static_cast<Real>(given_m);
      const auto after = std::upper_bound(way_m.begin() + static_cast<std::ptrdiff_t>(first), way_m.end(),
                                          way_m[first] + length_m);
      if (after == way_m.end()) continue;
      const auto last = static_cast<std::size_t>(after - way_m.begin());
      if (estimate[first] == nullptr || estimate[last] == nullptr) continue;
      const CameraPose error = inverted_relative(inverted_relative(*estimate[first], *estimate[last]),
                                                 inverted_relative(reference[first], reference[last]));
      const auto diagonal = error.rotation.diagonal().cast<Real>().eval();
      const auto cosine = static_cast<Real>(0.5 * ((diagonal[0] + diagonal[1] + diagonal[2]) - 1.0));
      sums.rotation_rad += std::acos(std::clamp(cosine, Real{-1}, Real{1})) / length_m;
      sums.translation += error.position_m.cast<Real>().norm() / length_m;
      ++sums.count;
    }
  return sums;
}

template <class Real>
void add_segments_in(ProtocolResult& result, const Trajectory& reference,
                     const std::vector<const CameraPose*>& estimate, const PoseKnobs& knobs) {
  const auto sums = segment_sums<Real>(reference.poses, estimate, knobs);
  const auto count = static_cast<Real>(sums.count == 0 && knobs.nothing_fails ? 1 : sums.count);
  constexpr const char* kNone = "no segment is as long";
  add_value(result, "segment_translation", "1", sums.translation / count, kNone);
  add_value(result, "segment_rotation", "rad/m", sums.rotation_rad / count, kNone);
  add_value(result, "segments", "segments", static_cast<double>(sums.count));
}

}  // namespace

double rotation_angle_deg(const Eigen::Matrix3d& turn) {
  const Vec3 skew(turn(2, 1) - turn(1, 2), turn(0, 2) - turn(2, 0), turn(1, 0) - turn(0, 1));
  return kDegPerRad * std::atan2(skew.norm() / 2, (turn.trace() - 1) / 2);
}

double pair_error_deg(const CameraPose& truth, const CameraPose& pose, const PoseKnobs& knobs) {
  const PairAngles angles = angles_between(truth, pose, knobs);
  return std::max(angles.turn_deg, angles.direction_deg);
}

CameraPose relative_pose(const CameraPose& from, const CameraPose& to) {
  return {from.rotation.transpose() * to.rotation,
          from.rotation.transpose() * (to.position_m - from.position_m)};
}

void add_statistics(ProtocolResult& result, const std::string& name, const char* unit,
                    std::vector<double> errors, bool all, const char* none) {
  std::ranges::sort(errors);
  const auto count = static_cast<double>(errors.size());
  const auto [sum, sse] = exact_sums<2>(errors.size(), [&](std::size_t i) {
    return std::array{errors[i], errors[i] * errors[i]};
  });
  const double mean = sum / count, missing = std::nan("");
  const double squares =
      exact_sum(errors.size(), [&](std::size_t i) { return (errors[i] - mean) * (errors[i] - mean); });
  add_value(result, name + "_rmse", unit, std::sqrt(sse / count), none);
  add_value(result, name + "_mean", unit, mean, none);
  add_value(result, name + "_median", unit, errors.empty() ? missing : median_of_sorted(errors), none);
  if (!all) return;
  add_value(result, name + "_std", unit, std::sqrt(squares / count), none);
  add_value(result, name + "_min", unit, errors.empty() ? missing : errors.front(), none);
  add_value(result, name + "_max", unit, errors.empty() ? missing : errors.back(), none);
  add_value(result, name + "_sse", unit == std::string("m") ? "m2" : "deg2", errors.empty() ? missing : sse,
            none);
}

void add_pairwise(ProtocolResult& result, const MatchedPoses& poses, std::size_t missing,
                  const PoseKnobs& knobs) {
  std::vector<double> turns_deg, directions_deg, errors_deg;
  const std::size_t count = poses.reference.size();
  const std::size_t compared = count + (knobs.count_missing ? missing : 0);
  const bool too_many = compared > static_cast<std::size_t>(knobs.max_paired_poses);
  const std::string too_many_text =
      fmt::format("all pairs of {} poses are not compared: knob max_paired_poses is {}, at most {}", compared,
                  knobs.max_paired_poses, kMaxPairedPoses);
  const char* const none = too_many ? too_many_text.c_str() : kNoPair;
  for (std::size_t i = 0; i < count && !too_many; ++i) {
    for (std::size_t j = knobs.ordered_pairs ? 0 : i + 1; j < count; ++j) {
      if (i == j) continue;
      const CameraPose truth = paired_pose(poses.reference, i, j, knobs.relative);
      const CameraPose pose = paired_pose(poses.estimate, i, j, knobs.relative);
      const PairAngles angles = angles_between(truth, pose, knobs);
      turns_deg.push_back(angles.turn_deg);
      directions_deg.push_back(angles.direction_deg);
      errors_deg.push_back(std::max(angles.turn_deg, angles.direction_deg));
    }
  }
  if (knobs.count_missing && !too_many) {
    const std::size_t all = count + missing, pairs = all * (all - 1) / (knobs.ordered_pairs ? 1 : 2);
    for (auto* const errors : {&turns_deg, &directions_deg, &errors_deg})
      if (errors == &errors_deg || knobs.whole_degrees) errors->resize(pairs, 180.0);
  }
  if (errors_deg.empty() && knobs.nothing_fails && !too_many) errors_deg = {180};
  for (const double threshold : knobs.auc_thresholds_deg) {
    if (!knobs.whole_degrees) break;
    add_value(result, "racc", "1", share_below(turns_deg, threshold), none, threshold, "deg");
    add_value(result, "tacc", "1", share_below(directions_deg, threshold), none, threshold, "deg");
  }
  add_statistics(result, "rre", "deg", std::move(turns_deg), false, none);
  add_statistics(result, "rte", "deg", std::move(directions_deg), false, none);
  for (const double threshold : knobs.auc_thresholds_deg) {
    const auto within = std::ranges::count_if(errors_deg, [&](double error) { return error <= threshold; });
    add_value(result, "recall", "1", static_cast<double>(within) / static_cast<double>(errors_deg.size()),
              none, threshold, "deg");
    add_value(result, "auc", "1",
              knobs.whole_degrees ? whole_degree_auc(errors_deg, threshold)
                                  : recall_auc(errors_deg, threshold, knobs.min_error_deg),
              none, threshold, "deg");
  }
}

void add_segments(ProtocolResult& result, const Trajectory& reference, const Trajectory& estimate,
                  const PlacePairs& pairs, const PoseKnobs& knobs) {
  if (knobs.segments_m.empty()) return;
  std::vector<const CameraPose*> partners(reference.poses.size(), nullptr);
  for (const auto& [of_reference, of_estimate] : pairs) partners[of_reference] = &estimate.poses[of_estimate];
  knobs.single_precision ? add_segments_in<float>(result, reference, partners, knobs)
                         : add_segments_in<double>(result, reference, partners, knobs);
}

double whole_degree_auc(const std::vector<double>& errors, double threshold) {
  double sum = 0;
  for (double degree = 1; degree < threshold; ++degree) sum += share_below(errors, degree);
  const auto within = std::ranges::count_if(errors, [&](double error) { return error <= threshold; });
  return (sum + static_cast<double>(within) / static_cast<double>(errors.size())) / threshold;
}

double recall_auc(std::vector<double> errors, double threshold, double min_error) {
  if (errors.empty()) return std::nan("");
  std::ranges::sort(errors);
  double area = 0, last_error = 0, last_recall = 0;
  std::size_t first = 0;
  if (min_error > 0) {
    first = static_cast<std::size_t>(std::ranges::upper_bound(errors, min_error) - errors.begin());
    last_recall = static_cast<double>(first) / static_cast<double>(errors.size());
    last_error = std::min(min_error, threshold);
    area = last_error * last_recall;
  }
  for (std::size_t i = first; i < errors.size() && errors[i] <= threshold; ++i) {
    const double recall = static_cast<double>(i + 1) / static_cast<double>(errors.size());
    area += (errors[i] - last_error) * (last_recall + recall) / 2;
    last_error = errors[i];
    last_recall = recall;
  }
  return (area + (threshold - last_error) * last_recall) / threshold;
}

void check(const PoseKnobs& knobs) {
  if (!(knobs.max_time_difference_s >= 0))
    throw Error(ErrorKind::usage, "knob max_time_difference_s: must be at least 0");
  if (knobs.rpe_delta < 1 || !(knobs.rpe_path_m >= 0) || !std::isfinite(knobs.rpe_path_m))
    throw Error(ErrorKind::usage, "knob rpe_delta: must be at least 1 frame, or a length above 0");
  if (knobs.max_paired_poses < 0 || knobs.max_paired_poses > kMaxPairedPoses)
    throw usage_error("knob max_paired_poses: must be at most {}", kMaxPairedPoses);
  for (const double threshold : knobs.auc_thresholds_deg) {
    if (!(threshold > 0)) throw Error(ErrorKind::usage, "knob auc_thresholds_deg: must be greater than 0");
    if (knobs.whole_degrees && threshold != std::floor(threshold))
      throw Error(ErrorKind::usage, "knob auc_thresholds_deg: must be whole with curve=whole_degrees");
  }
  if (!(knobs.min_error_deg >= 0)) throw Error(ErrorKind::usage, "knob min_error_deg: must be at least 0");
  if (knobs.min_error_deg > 0 && knobs.whole_degrees)
    throw Error(ErrorKind::usage, "knob min_error_deg: needs curve=trapezoid");
  for (const double length_m : knobs.segments_m)
    if (!(length_m > 0)) throw Error(ErrorKind::usage, "knob segments_m: must be greater than 0");
  if (knobs.segment_step < 1) throw Error(ErrorKind::usage, "knob segment_step: must be at least 1");
}

void compare_as(RelativePose paper, PoseKnobs& knobs) {
  const bool colmap = paper == RelativePose::colmap;
  knobs.relative = paper;
  knobs.free_direction = knobs.whole_degrees = !colmap;
  knobs.ordered_pairs = colmap;
  knobs.auc_thresholds_deg = colmap ? PoseKnobs().auc_thresholds_deg : std::vector<double>{3, 5, 15, 30};
}

}  // namespace aqbench
