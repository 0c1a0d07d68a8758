#include "metrics/protocols/trajectory.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "core/error.h"
#include "core/files.h"
#include "core/text.h"
#include "scenes/cloud/camera_poses.h"
#include "scenes/cloud/text_lines.h"

namespace aqbench {
namespace {

constexpr std::size_t kNowhere = SIZE_MAX;
constexpr std::size_t kKitti = 12, kKittiFrames = 13;
constexpr double kLeastNanoseconds = 1e14;  // as seconds, three million years

// Where the numbers of a pose with a time stand in a line.
struct PoseColumns {
  std::size_t columns = 8, time = 0;
  std::array<std::size_t, 3> position = {1, 2, 3};
  std::array<std::size_t, 4> quaternion_xyzw = {4, 5, 6, 7};
  double seconds = 1;  // of one unit of time; 0: the times say which

  bool same_places(const PoseColumns& other) const {
    return time == other.time && position == other.position && quaternion_xyzw == other.quaternion_xyzw;
  }
};

constexpr PoseColumns kTum{}, kEuroc{17, 0, {1, 2, 3}, {5, 6, 7, 4}, 1e-9};

// The place of a name's last letter among `letters`, if the name begins with one of `starts`.
std::size_t axis_of(std::string_view name, std::string_view starts, std::string_view letters) {
  const bool fits = !name.empty() && starts.find(name.front()) != std::string_view::npos;
  const std::size_t axis = fits ? letters.find(name.back()) : std::string_view::npos;
  return axis == std::string_view::npos ? kNowhere : axis;
}

// Returns the place in x y z w of a part of a quaternion: "qw", "rot_w", "o_w", "w".
std::size_t turn_of(std::string_view name) {
  if (name == "w") return 3;
  if (name.starts_with("rot_") || name.starts_with("o_"))
    name = name.substr(name.size() - 1);
  else if (!name.starts_with('q'))
    return kNowhere;
  return axis_of(name, "qxyzw", "xyzw");
}

bool is_time(std::string_view name) {
  return name.starts_with("time") || name.starts_with("sec") || name == "t" || name == "ts" ||
         name == "stamp";
}

// Returns the places of time, position and quaternion that a line names; nullopt unless it names them all.
std::optional<PoseColumns> named_columns(std::string_view line) {
  PoseColumns named{0, kNowhere, {kNowhere, kNowhere, kNowhere}, {kNowhere, kNowhere, kNowhere, kNowhere}, 0};
  const auto take = [&](std::size_t& place) {
    if (place == kNowhere) place = named.columns;
  };
  const bool commas = line.find(',') != std::string_view::npos;
  for (const std::string_view word : split_columns(line)) {
    const std::string text = lower_case(word);
    const std::string_view name = trim_blanks(std::string_view(text).substr(0, text.find_first_of("[(")));
    if (name.empty() && !commas) {  // a unit that stands alone
      if (named.time + 1 == named.columns && text == "[ns]") named.seconds = 1e-9;
      continue;
    }
    if (const std::size_t turn = turn_of(name); turn != kNowhere)
      take(named.quaternion_xyzw[turn]);
    else if (const std::size_t axis = axis_of(name, "tpxyz", "xyz"); axis != kNowhere)
      take(named.position[axis]);
    else if (is_time(name))
      take(named.time);
    if (named.time == named.columns && text.find("ns") != std::string::npos) named.seconds = 1e-9;
    ++named.columns;
  }
  const auto is_there = [](std::size_t place) { return place != kNowhere; };
  const bool whole = is_there(named.time) && std::ranges::all_of(named.position, is_there) &&
                     std::ranges::all_of(named.quaternion_xyzw, is_there);
  return whole ? std::optional(named) : std::nullopt;
}

CameraPose kitti_pose(const TextLines& lines, const std::vector<double>& n) {
  CameraPose pose;
  pose.rotation << n[0], n[1], n[2], n[4], n[5], n[6], n[8], n[9], n[10];
  pose.position_m = {n[3], n[7], n[11]};
  const double off = (pose.rotation * pose.rotation.transpose() - Eigen::Matrix3d::Identity()).norm();
  if (off > 1e-3 || pose.rotation.determinant() < 0) lines.fail("pose: the matrix is not a rotation");
  return pose;
}

class TrajectoryReader {
 public:
  TrajectoryReader(std::string_view bytes, const std::string& name) : lines_(bytes, name) {}

  Trajectory read() {
    std::string_view line;
    while (lines_.next(line)) {
      if (line.empty() || note_names(line)) continue;
      const std::vector<std::string_view> words = split_columns(line);
      numbers_.clear();
      for (const std::string_view word : words) numbers_.push_back(lines_.finite(word, "pose"));
      if (trajectory_.poses.empty()) settle_columns(line.find(',') != std::string_view::npos);
      if (numbers_.size() != columns_) lines_.fail("pose: not as many numbers as before");
      if (form_) {
        add_timed(words[form_->time]);
        continue;
      }
      if (columns_ == kKittiFrames) {
        if (numbers_[0] < 0 || numbers_[0] != std::floor(numbers_[0]))
          lines_.fail("pose: '{}' is no number of a frame", words[0]);
        add_stamp(numbers_[0], words[0]);
        numbers_.erase(numbers_.begin());
      }
      trajectory_.poses.push_back(kitti_pose(lines_, numbers_));
    }
    return std::move(trajectory_);
  }

 private:
  // Returns whether the line is no pose: a comment, or the first line, which names the columns.
  bool note_names(std::string_view line) {
    const bool comment = line.starts_with('#');
    if (!trajectory_.poses.empty() || (!comment && parse_double(split_columns(line).front()))) return comment;
    if (const auto named = named_columns(trim_blanks(line.substr(comment ? 1 : 0)))) {
      named_ = named;
      return true;
    }
    const std::vector<std::string_view> words = split_columns(line);
    for (std::size_t i = 0; i + 1 < words.size(); ++i)
      may_have_w_first_ = may_have_w_first_ || turn_of(lower_case(words[i])) == 3;
    return comment;
  }

  // The first pose says how many columns there are, and whether their names are those.
  void settle_columns(bool commas) {
    columns_ = numbers_.size();
    trajectory_.has_frames = columns_ == kKittiFrames;
    if (columns_ != kKitti && columns_ != kKittiFrames) form_ = columns_ == kEuroc.columns ? kEuroc : kTum;
    if (named_ && named_->columns == columns_) {
      form_ = named_;
      trajectory_.has_frames = false;
      if (form_->seconds == 0) form_->seconds = numbers_[form_->time] > kLeastNanoseconds ? 1e-9 : 1;
      return;
    }
    if (columns_ != kTum.columns && columns_ != kKitti && columns_ != kKittiFrames &&
        columns_ != kEuroc.columns)
      lines_.fail(
          "pose: expected 8 numbers (TUM), 12 (KITTI), 13 (KITTI after the frame's number), 17 (EuRoC), or a "
          "line that names the columns");
    if (named_ && !(form_ && form_->same_places(*named_)))
      lines_.fail("pose: {} numbers, but {} columns are named", columns_, named_->columns);
    if (!named_ && may_have_w_first_)
      lines_.fail(
          "pose: a comment names the w of a quaternion before other columns, and not all of its names are "
          "known: name the columns (# timestamp tx ty tz qw qx qy qz)");
    if (columns_ == kTum.columns && commas && numbers_[0] > kLeastNanoseconds)
      lines_.fail(
          "pose: its time is in nanoseconds as EuRoC's, and no line says whether QW is first: name the "
          "columns (#timestamp [ns], tx, ty, tz, qw, qx, qy, qz)");
  }

  void add_stamp(double stamp_s, std::string_view stamp) {
    if (std::vector<double>& stamps_s = trajectory_.stamps_s; !stamps_s.empty()) {
      if (stamp_s < stamps_s.back())
        lines_.fail("pose: its time {} is before that of the pose before", stamp);
      if (stamp_s == stamps_s.back())
        lines_.fail("pose: its time {} is that of the pose before: times must differ", stamp);
    }
    trajectory_.stamps_s.push_back(stamp_s);
  }

  void add_timed(std::string_view stamp) {
    const PoseColumns& at = *form_;
    add_stamp(numbers_[at.time] * at.seconds, stamp);
    const auto& [x, y, z, w] = at.quaternion_xyzw;
    const Eigen::Quaterniond turn(numbers_[w], numbers_[x], numbers_[y], numbers_[z]);
    if (!(turn.norm() > 0)) lines_.fail("pose: the quaternion is zero");
    trajectory_.poses.push_back(
        {turn.normalized().toRotationMatrix(),
         {numbers_[at.position[0]], numbers_[at.position[1]], numbers_[at.position[2]]}});
  }

  TextLines lines_;
  Trajectory trajectory_;
  std::optional<PoseColumns> named_, form_;  // form_: none in KITTI's
  bool may_have_w_first_ = false;            // a comment that is not understood names w in front
  std::size_t columns_ = 0;
  std::vector<double> numbers_;  // of a line
};

bool has_named_poses(const std::filesystem::path& path) {
  const std::string name = path.filename().string();
  return name.ends_with(".json") || name == "images.bin" || name == "images.txt" || folder_exists(path);
}

Trajectory named_trajectory(std::vector<OwnCamera> cameras) {
  std::ranges::sort(cameras, {}, &OwnCamera::name);
  Trajectory trajectory;
  for (OwnCamera& camera : cameras) {
    trajectory.poses.push_back({camera.own_from_camera, camera.centre});
    trajectory.names.push_back(std::move(camera.name));
  }
  return trajectory;
}

// The places of the poses by the file name in the name of their image.
std::map<std::string, std::size_t> places_of_images(const Trajectory& trajectory) {
  std::map<std::string, std::size_t> places;
  for (std::size_t i = 0; i < trajectory.names.size(); ++i) {
    const std::string name = std::filesystem::path(trajectory.names[i]).filename().string();
    if (!places.emplace(name, i).second) throw input_error("trajectories: two images are named {}", name);
  }
  return places;
}

std::vector<std::pair<std::size_t, std::size_t>> pair_by_names(const Trajectory& reference,
                                                               const Trajectory& estimate) {
  if (reference.names.empty() || estimate.names.empty())
    throw input_error("trajectories: one has names of images, the other one has none");
  const auto places = places_of_images(estimate);
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  for (const auto& [name, place] : places_of_images(reference))
    if (const auto partner = places.find(name); partner != places.end())
      pairs.emplace_back(place, partner->second);
  if (pairs.empty()) throw input_error("trajectories: no image has a pose in both");
  std::ranges::sort(pairs);
  return pairs;
}

// Poses without times at the numbers of their frames.
Trajectory with_frames(Trajectory trajectory) {
  for (std::size_t i = 0; i < trajectory.poses.size(); ++i)
    trajectory.stamps_s.push_back(static_cast<double>(i));
  trajectory.has_frames = true;
  return trajectory;
}

std::size_t nearest_stamp(const std::vector<double>& stamps_s, double stamp_s) {
  const auto after = std::ranges::lower_bound(stamps_s, stamp_s);
  const auto at = static_cast<std::size_t>(after - stamps_s.begin());
  if (at == stamps_s.size()) return at - 1;
  return at > 0 && std::abs(stamps_s[at - 1] - stamp_s) <= std::abs(stamps_s[at] - stamp_s) ? at - 1 : at;
}

}  // namespace

Trajectory read_trajectory(const std::filesystem::path& path) {
  if (has_named_poses(path)) return named_trajectory(read_camera_poses(path));
  const std::string bytes = read_file(path);
  Trajectory trajectory = TrajectoryReader(bytes, path.string()).read();
  if (trajectory.poses.empty()) throw Error(ErrorKind::input, path.string() + ": no pose", path.string());
  return trajectory;
}

std::vector<std::pair<std::size_t, std::size_t>> pair_poses(const Trajectory& reference,
                                                            const Trajectory& estimate,
                                                            double max_difference_s) {
  if (!reference.names.empty() || !estimate.names.empty()) return pair_by_names(reference, estimate);
  if (reference.stamps_s.empty() && estimate.has_frames)
    return pair_poses(with_frames(reference), estimate, max_difference_s);
  if (estimate.stamps_s.empty() && reference.has_frames)
    return pair_poses(reference, with_frames(estimate), max_difference_s);
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  if (reference.stamps_s.empty() || estimate.stamps_s.empty()) {
    if (reference.poses.size() != estimate.poses.size())
      throw input_error("trajectories without times: {} poses against {}", reference.poses.size(),
                        estimate.poses.size());
    for (std::size_t i = 0; i < reference.poses.size(); ++i) pairs.emplace_back(i, i);
    return pairs;
  }
  const bool estimate_longer = estimate.stamps_s.size() > reference.stamps_s.size();
  const std::vector<double>& few = estimate_longer ? reference.stamps_s : estimate.stamps_s;
  const std::vector<double>& many = estimate_longer ? estimate.stamps_s : reference.stamps_s;
  for (std::size_t i = 0; i < few.size(); ++i) {
    const std::size_t nearest = nearest_stamp(many, few[i]);
    const auto away = [&](std::size_t of_few) { return std::abs(many[nearest] - few[of_few]); };
    if (away(i) > max_difference_s) continue;
    if (!pairs.empty() && pairs.back().second == nearest) {
      if (away(i) < away(pairs.back().first)) pairs.back().first = i;
    } else {
      pairs.emplace_back(i, nearest);
    }
  }
  if (pairs.empty()) throw input_error("trajectories: no two times are at most {} s apart", max_difference_s);
  if (!estimate_longer)
    for (auto& [first, second] : pairs) std::swap(first, second);
  return pairs;
}

}  // namespace aqbench
