#include "metrics/protocols/pose_protocol.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <string>
#include <utility>

#include "core/error.h"
#include "core/quantiles.h"
#include "core/text.h"
#include "metrics/alignment/similarity_fit.h"
#include "metrics/numbers/exact_sum.h"

namespace aqbench {
namespace {

constexpr double kDegPerRad = 180 / std::numbers::pi;
constexpr const char* kNoPair = "there is no pair of poses";

// The matched poses, the estimate aligned.
struct MatchedPoses {
  std::vector<CameraPose> reference, estimate;
};

double rotation_angle_deg(const Eigen::Matrix3d& turn) {
  const Vec3 skew(turn(2, 1) - turn(1, 2), turn(0, 2) - turn(2, 0), turn(1, 0) - turn(0, 1));
  return kDegPerRad * std::atan2(skew.norm() / 2, (turn.trace() - 1) / 2);
}

// Of a vector of no length 90 degrees, as COLMAP's vec_angular_dist_deg has it: it points nowhere, and that
// is no agreement.
double direction_angle_deg(const Vec3& a, const Vec3& b) {
  constexpr double kNoLength_m = 1e-10;
  if (a.norm() < kNoLength_m || b.norm() < kNoLength_m) return 90;
  return kDegPerRad * std::atan2(a.cross(b).norm(), a.dot(b));
}

// The pose of `to` seen from `from`.
CameraPose relative_pose(const CameraPose& from, const CameraPose& to) {
  return {from.rotation.transpose() * to.rotation,
          from.rotation.transpose() * (to.position_m - from.position_m)};
}

// Why values after the alignment are undefined; empty where they are not.
struct Undetermined {
  std::string positions, rotations, lengths;
};

Undetermined align_poses(MatchedPoses& poses, PoseAlignment alignment) {
  if (alignment == PoseAlignment::none) return {};
  constexpr const char* kWithout = "knob alignment=none compares the poses as they are";
  std::vector<Vec3> from, to;
  for (const CameraPose& pose : poses.estimate) from.push_back(pose.position_m);
  for (const CameraPose& pose : poses.reference) to.push_back(pose.position_m);
  const bool rigid = alignment == PoseAlignment::rigid;
  const auto fit = fit_positions(from, to, rigid ? FitScale::one : FitScale::estimated);
  if (!fit) {
    const std::string why = fmt::format("{} do not determine the alignment: 3 at different places do; {}",
                                        counted(from.size(), "pose"), kWithout);
    return {why, alignment == PoseAlignment::scale ? "" : why, rigid ? "" : why};
  }
  const Similarity& moved = fit->to_from;
  for (CameraPose& pose : poses.estimate) {
    if (alignment == PoseAlignment::scale) {
      pose.position_m *= moved.scale;
    } else {
      pose.position_m = moved.linear * pose.position_m + moved.translation_m;
      pose.rotation = moved.rotation() * pose.rotation;
    }
  }
  if (fit->chance.empty() || alignment == PoseAlignment::scale) return {};
  return {"", fmt::format("the positions {}; {}", fit->chance, kWithout), ""};
}

// Adds the statistics that evo prints of errors; `all` also those beyond rmse, mean and median.
void add_statistics(ProtocolResult& result, const std::string& name, const char* unit,
                    std::vector<double> errors, bool all, const char* none = kNoPair) {
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

void add_absolute(ProtocolResult& result, const MatchedPoses& poses, const Undetermined& why) {
  std::vector<double> positions_m, angles_deg;
  for (std::size_t i = 0; i < poses.reference.size(); ++i) {
    const CameraPose& truth = poses.reference[i];
    const CameraPose& pose = poses.estimate[i];
    positions_m.push_back((pose.position_m - truth.position_m).norm());
    angles_deg.push_back(rotation_angle_deg(pose.rotation.transpose() * truth.rotation));
  }
  if (!why.positions.empty()) positions_m.clear();
  if (!why.rotations.empty()) angles_deg.clear();
  add_statistics(result, "ate", "m", std::move(positions_m), true, why.positions.c_str());
  add_statistics(result, "are", "deg", std::move(angles_deg), false, why.rotations.c_str());
}

using PosePairs = std::vector<std::pair<std::size_t, std::size_t>>;

// The path from the first pose to each one.
std::vector<double> paths_m(const std::vector<CameraPose>& poses) {
  std::vector<double> path_m(poses.size(), 0.0);
  for (std::size_t i = 1; i < poses.size(); ++i)
    path_m[i] = path_m[i - 1] + (poses[i].position_m - poses[i - 1].position_m).norm();
  return path_m;
}

// The pairs that lie so long a path apart. A pair begins where the one before ends, the first of them at the
// first pose that is that far from the start, as evo's do; or with `all` at every pose, where another is as
// far away within a tenth.
PosePairs pairs_by_path(const std::vector<CameraPose>& poses, double delta_m, bool all) {
  PosePairs pairs;
  if (!all) {
    std::optional<std::size_t> begin;
    double path_m = 0;
    for (std::size_t i = 1; i < poses.size(); ++i) {
      path_m += (poses[i].position_m - poses[i - 1].position_m).norm();
      if (path_m < delta_m) continue;
      if (begin) pairs.emplace_back(*begin, i);
      begin = i;
      path_m = 0;
    }
    return pairs;
  }
  const std::vector<double> path_m = paths_m(poses);
  for (std::size_t i = 0; i + 1 < poses.size(); ++i) {
    const auto away = [&](std::size_t j) { return std::abs(path_m[j] - path_m[i] - delta_m); };
    const auto after = std::lower_bound(path_m.begin() + static_cast<std::ptrdiff_t>(i) + 1, path_m.end(),
                                        path_m[i] + delta_m);
    std::size_t end = std::min(static_cast<std::size_t>(after - path_m.begin()), poses.size() - 1);
    while (end > i + 1 && away(end - 1) <= away(end)) --end;  // the first of equally near ones
    if (away(end) <= 0.1 * delta_m) pairs.emplace_back(i, end);
  }
  return pairs;
}

PosePairs pairs_by_frames(std::size_t poses, std::size_t delta, bool all) {
  PosePairs pairs;
  for (std::size_t i = 0; i + delta < poses; i += all ? 1 : delta) pairs.emplace_back(i, i + delta);
  return pairs;
}

void add_relative(ProtocolResult& result, const MatchedPoses& poses, const Undetermined& why,
                  const PoseKnobs& knobs) {
  std::vector<double> shifts_m, angles_deg;
  const PosePairs pairs =
      knobs.rpe_path_m > 0 ? pairs_by_path(poses.estimate, knobs.rpe_path_m, knobs.rpe_all_pairs)
                           : pairs_by_frames(poses.reference.size(),
                                             static_cast<std::size_t>(knobs.rpe_delta), knobs.rpe_all_pairs);
  for (const auto& [i, j] : pairs) {
    const CameraPose error = relative_pose(relative_pose(poses.reference[i], poses.reference[j]),
                                           relative_pose(poses.estimate[i], poses.estimate[j]));
    shifts_m.push_back(error.position_m.norm());
    angles_deg.push_back(rotation_angle_deg(error.rotation));
  }
  const char* none =
      knobs.rpe_path_m > 0 ? "there is no pair of poses with so long a path between them" : kNoPair;
  if (!why.lengths.empty()) {  // without a scale
    shifts_m.clear();
    if (knobs.rpe_path_m > 0) angles_deg.clear();
    none = why.lengths.c_str();
  }
  add_statistics(result, "rpe_translation", "m", std::move(shifts_m), true, none);
  add_statistics(result, "rpe_rotation", "deg", std::move(angles_deg), false, none);
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

double share_below(const std::vector<double>& errors, double threshold) {
  return static_cast<double>(std::ranges::count_if(errors, [&](double e) { return e < threshold; })) /
         static_cast<double>(errors.size());
}

// Over all pairs of poses; `missing` more poses of the reference have no partner.
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
      turns_deg.push_back(rotation_angle_deg(pose.rotation.transpose() * truth.rotation));
      const auto angle = knobs.free_direction ? free_angle_deg : direction_angle_deg;
      const bool has_direction = truth.position_m.norm() >= knobs.min_baseline_m;
      directions_deg.push_back(has_direction ? angle(pose.position_m, truth.position_m) : 0);
      errors_deg.push_back(std::max(turns_deg.back(), directions_deg.back()));
    }
  }
  if (knobs.count_missing && !too_many) {
    const std::size_t all = count + missing, pairs = all * (all - 1) / (knobs.ordered_pairs ? 1 : 2);
    for (auto* const errors : {&turns_deg, &directions_deg, &errors_deg})
      if (errors == &errors_deg || knobs.whole_degrees) errors->resize(pairs, 180.0);
  }
  for (const double threshold : knobs.auc_thresholds_deg) {
    if (!knobs.whole_degrees) break;
    add_value(result, "racc", "1", share_below(turns_deg, threshold), none, threshold);
    add_value(result, "tacc", "1", share_below(directions_deg, threshold), none, threshold);
  }
  add_statistics(result, "rre", "deg", std::move(turns_deg), false, none);
  add_statistics(result, "rte", "deg", std::move(directions_deg), false, none);
  for (const double threshold : knobs.auc_thresholds_deg) {
    const auto within = std::ranges::count_if(errors_deg, [&](double error) { return error <= threshold; });
    add_value(result, "recall", "1", static_cast<double>(within) / static_cast<double>(errors_deg.size()),
              none, threshold);
    add_value(result, "auc", "1",
              knobs.whole_degrees ? whole_degree_auc(errors_deg, threshold)
                                  : recall_auc(errors_deg, threshold, knobs.min_error_deg),
              none, threshold);
  }
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
  const auto count = static_cast<Real>(sums.count);
  constexpr const char* kNone = "no segment is as long";
  add_value(result, "segment_translation", "1", sums.translation / count, kNone);
  add_value(result, "segment_rotation", "rad/m", sums.rotation_rad / count, kNone);
  add_value(result, "segments", "segments", static_cast<double>(sums.count));
}

void add_segments(ProtocolResult& result, const Trajectory& reference, const Trajectory& estimate,
                  const PosePairs& pairs, const PoseKnobs& knobs) {
  if (knobs.segments_m.empty()) return;
  std::vector<const CameraPose*> partners(reference.poses.size(), nullptr);
  for (const auto& [of_reference, of_estimate] : pairs) partners[of_reference] = &estimate.poses[of_estimate];
  knobs.single_precision ? add_segments_in<float>(result, reference, partners, knobs)
                         : add_segments_in<double>(result, reference, partners, knobs);
}

}  // namespace

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

ProtocolResult pose_errors(const Trajectory& reference, const Trajectory& estimate, const PoseKnobs& knobs) {
  check(knobs);
  MatchedPoses poses;
  const PosePairs pairs = pair_poses(reference, estimate, knobs.max_time_difference_s);
  for (const auto& [of_reference, of_estimate] : pairs) {
    poses.reference.push_back(reference.poses[of_reference]);
    poses.estimate.push_back(estimate.poses[of_estimate]);
  }
  const std::size_t missing =
      reference.poses.size() - std::min(reference.poses.size(), poses.reference.size());
  const MatchedPoses unaligned = poses;
  const Undetermined why = align_poses(poses, knobs.alignment);
  ProtocolResult result;
  add_absolute(result, poses, why);
  add_relative(result, poses, why, knobs);
  add_pairwise(result, unaligned, missing, knobs);
  add_segments(result, reference, estimate, pairs, knobs);
  add_value(result, "poses", "poses", static_cast<double>(poses.reference.size()));
  add_value(result, "missing", "poses", static_cast<double>(missing));
  return result;
}

}  // namespace aqbench
