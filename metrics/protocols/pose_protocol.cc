#include "metrics/protocols/pose_protocol.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "core/error.h"
#include "core/text.h"
#include "metrics/alignment/similarity_fit.h"
#include "metrics/protocols/pose_pairs.h"

namespace aqbench {
namespace {

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
PlacePairs pairs_by_path(const std::vector<CameraPose>& poses, double delta_m, bool all) {
  PlacePairs pairs;
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

PlacePairs pairs_by_frames(std::size_t poses, std::size_t delta, bool all) {
  PlacePairs pairs;
  for (std::size_t i = 0; i + delta < poses; i += all ? 1 : delta) pairs.emplace_back(i, i + delta);
  return pairs;
}

void add_relative(ProtocolResult& result, const MatchedPoses& poses, const Undetermined& why,
                  const PoseKnobs& knobs) {
  std::vector<double> shifts_m, angles_deg;
  const PlacePairs pairs =
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

}  // namespace

ProtocolResult pose_errors(const Trajectory& reference, const Trajectory& estimate, const PoseKnobs& knobs) {
  check(knobs);
  MatchedPoses poses;
  const PlacePairs pairs = pair_poses(reference, estimate, knobs.max_time_difference_s);
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
