#include "metrics/protocols/trajectory.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <string_view>

#include "core/error.h"
#include "core/files.h"
#include "scenes/cloud/text_lines.h"

namespace aqbench {
namespace {

std::vector<double> numbers_of(const TextLines& lines, std::string_view line) {
  std::vector<double> numbers;
  std::string text(line);
  std::ranges::replace(text, ',', ' ');
  std::string_view rest = text;
  for (std::string_view word = take_word(rest); !word.empty(); word = take_word(rest)) {
    numbers.push_back(lines.number(word, "pose"));
    if (!std::isfinite(numbers.back())) lines.fail("pose: a number is not finite");
  }
  return numbers;
}

CameraPose tum_pose(const TextLines& lines, const std::vector<double>& n) {
  const Eigen::Quaterniond turn(n[7], n[4], n[5], n[6]);
  if (!(turn.norm() > 0)) lines.fail("pose: the quaternion is zero");
  return {turn.normalized().toRotationMatrix(), {n[1], n[2], n[3]}};
}

CameraPose kitti_pose(const TextLines& lines, const std::vector<double>& n) {
  CameraPose pose;
  pose.rotation << n[0], n[1], n[2], n[4], n[5], n[6], n[8], n[9], n[10];
  pose.position_m = {n[3], n[7], n[11]};
  const double off = (pose.rotation * pose.rotation.transpose() - Eigen::Matrix3d::Identity()).norm();
  if (off > 1e-3 || pose.rotation.determinant() < 0) lines.fail("pose: the matrix is no rotation");
  return pose;
}

}  // namespace

Trajectory read_trajectory(const std::filesystem::path& path) {
  const std::string bytes = read_file(path);
  TextLines lines(bytes, path.string());
  Trajectory trajectory;
  std::size_t columns = 0;
  std::string_view line;
  while (lines.next_content(line)) {
    const std::vector<double> numbers = numbers_of(lines, line);
    if (numbers.size() != 8 && numbers.size() != 12)
      lines.fail("pose: expected 8 numbers (TUM) or 12 (KITTI)");
    if (columns != 0 && numbers.size() != columns) lines.fail("pose: not as many numbers as before");
    columns = numbers.size();
    if (columns == 8 && !trajectory.stamps_s.empty() && numbers[0] < trajectory.stamps_s.back())
      lines.fail("pose: its time is before that of the pose before");  // pairs of neighbours would be others
    if (columns == 8) trajectory.stamps_s.push_back(numbers[0]);
    trajectory.poses.push_back(columns == 8 ? tum_pose(lines, numbers) : kitti_pose(lines, numbers));
  }
  if (trajectory.poses.empty()) throw Error(ErrorKind::input, path.string() + ": no pose", path.string());
  return trajectory;
}

std::vector<std::pair<std::size_t, std::size_t>> pair_poses(const Trajectory& reference,
                                                            const Trajectory& estimate,
                                                            double max_difference_s) {
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  if (reference.stamps_s.empty() || estimate.stamps_s.empty()) {
    if (reference.poses.size() != estimate.poses.size())
      throw Error(ErrorKind::input, fmt::format("trajectories without times: {} poses against {}",
                                                reference.poses.size(), estimate.poses.size()));
    for (std::size_t i = 0; i < reference.poses.size(); ++i) pairs.emplace_back(i, i);
    return pairs;
  }
  const bool estimate_longer = estimate.stamps_s.size() > reference.stamps_s.size();
  const std::vector<double>& few = estimate_longer ? reference.stamps_s : estimate.stamps_s;
  const std::vector<double>& many = estimate_longer ? estimate.stamps_s : reference.stamps_s;
  for (std::size_t i = 0; i < few.size(); ++i) {
    const auto away = [&](double stamp_s) { return std::abs(stamp_s - few[i]); };
    const auto nearest = static_cast<std::size_t>(std::ranges::min_element(many, {}, away) - many.begin());
    if (away(many[nearest]) > max_difference_s) continue;
    if (estimate_longer)
      pairs.emplace_back(i, nearest);
    else
      pairs.emplace_back(nearest, i);
  }
  if (pairs.empty())
    throw Error(ErrorKind::input,
                fmt::format("trajectories: no two times are at most {} s apart", max_difference_s));
  return pairs;
}

}  // namespace aqbench
