#include "scenes/dataset/colmap_frames.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>
#include <system_error>

#include "core/error.h"
#include "core/text.h"

namespace aqbench {
namespace {

namespace fs = std::filesystem;

constexpr double kPoseTolerance = 1e-6;

// x_b = rotation x_a + translation.
struct RigidPose {
  Eigen::Quaterniond rotation = Eigen::Quaterniond::Identity();
  Vec3 translation = Vec3::Zero();
};

// A camera, or another sensor, which is not looked at.
struct SensorId {
  bool is_camera = true;
  std::uint32_t id = 0;
  auto operator<=>(const SensorId&) const = default;
};

struct RigSensors {
  std::map<SensorId, std::optional<RigidPose>> sensor_from_rig;  // nullopt: unknown
};

// ---- Values of a binary file or of the lines of a text ----

class BinaryEntries {
 public:
  explicit BinaryEntries(const fs::path& file) : in_(file), left_(in_.next<std::uint64_t>()) {}
  bool more() {
    if (left_ == 0) in_.finish();
    return left_-- > 0;
  }
  void end_entry() {}
  std::uint32_t id() { return in_.next<std::uint32_t>(); }
  std::uint64_t data_id() { return in_.next<std::uint64_t>(); }
  bool is_camera() { return in_.next<std::int32_t>() == 0; }
  bool flag() { return in_.next<std::uint8_t>() != 0; }
  double number() { return in_.number(); }
  [[noreturn]] void fail(std::string_view what) const { in_.fail(what); }

 private:
  ColmapBinary in_;
  std::uint64_t left_;
};

class TextEntries {
 public:
  TextEntries(const fs::path& file, const char* what) : in_(file, what) {}
  bool more() {
    const bool is_there = in_.next(line_);
    if (!is_there) in_.check_count(entries_);
    ++entries_;
    return is_there;
  }
  void end_entry() {
    if (!trim_blanks(line_).empty()) fail("the line goes on after its last value");
  }
  std::uint32_t id() { return in_.id(take_word(line_), "number"); }
  std::uint64_t data_id() { return in_.lines().count(take_word(line_), "number of an image"); }
  bool is_camera() { return take_word(line_) == "CAMERA"; }
  bool flag() { return id() != 0; }
  double number() { return in_.number(take_word(line_)); }
  [[noreturn]] void fail(std::string_view what) const { in_.lines().fail(what); }

 private:
  ColmapText in_;
  std::string_view line_;
  std::size_t entries_ = 0;
};

template <class Entries>
SensorId take_sensor(Entries& in) {
  const bool is_camera = in.is_camera();
  return {is_camera, in.id()};
}

template <class Entries>
RigidPose take_rigid_pose(Entries& in) {
  RigidPose pose;
  double wxyz[4];
  for (double& value : wxyz) value = in.number();
  pose.rotation = Eigen::Quaterniond(wxyz[0], wxyz[1], wxyz[2], wxyz[3]);
  if (std::abs(pose.rotation.squaredNorm() - 1) > 1e-3) in.fail("a quaternion does not have length 1");
  pose.rotation.normalize();
  for (double& value : pose.translation) value = in.number();
  return pose;
}

template <class Entries>
std::map<std::uint32_t, RigSensors> read_rigs(Entries in) {
  std::map<std::uint32_t, RigSensors> rigs;
  for (; in.more(); in.end_entry()) {
    const auto [rig, is_new] = rigs.try_emplace(in.id());
    if (!is_new) in.fail(fmt::format("rig {} comes twice", rig->first));
    auto& sensors = rig->second.sensor_from_rig;
    const std::uint32_t count = in.id();
    for (std::uint32_t i = 0; i < count; ++i) {
      const SensorId sensor = take_sensor(in);
      std::optional<RigidPose> pose = RigidPose();  // of the first one, which is the rig's frame
      if (i > 0) pose = in.flag() ? std::optional(take_rigid_pose(in)) : std::nullopt;
      if (!sensors.emplace(sensor, pose).second) in.fail(fmt::format("sensor {} comes twice", sensor.id));
    }
  }
  return rigs;
}

// ---- Frames ----

void compare_poses(const ColmapModel& model, const ColmapImage& image, const RigidPose& sensor_from_rig,
                   const RigidPose& rig_from_world) {
  const auto& [w, x, y, z] = image.quaternion_wxyz;
  const auto& t = image.translation;
  const Eigen::Quaterniond own = Eigen::Quaterniond(w, x, y, z).normalized(),
                           here = sensor_from_rig.rotation * rig_from_world.rotation;
  const Vec3 shift = sensor_from_rig.rotation * rig_from_world.translation + sensor_from_rig.translation;
  if (own.angularDistance(here) <= kPoseTolerance &&
      (shift - Vec3(t[0], t[1], t[2])).norm() <= kPoseTolerance * (1 + shift.norm()))
    return;
  throw Error(ErrorKind::input,
              fmt::format("{}: image '{}': its pose differs from that of its frame and rig; write the model "
                          "again with COLMAP, or remove rigs and frames",
                          model.dir.string(), escape_bytes(image.name)),
              model.dir.string());
}

template <class Entries>
void check_frames(Entries in, const ColmapModel& model, const std::map<std::uint32_t, RigSensors>& rigs) {
  std::map<std::uint64_t, const ColmapImage*> waiting;
  for (const ColmapImage& image : model.images) waiting[image.id] = &image;
  for (; in.more(); in.end_entry()) {
    in.id();  // its number
    const std::uint32_t rig_id = in.id();
    const auto rig = rigs.find(rig_id);
    if (rig == rigs.end()) in.fail(fmt::format("rig {} is missing in the model", rig_id));
    const RigidPose rig_from_world = take_rigid_pose(in);
    for (std::uint32_t left = in.id(); left > 0; --left) {
      const SensorId sensor = take_sensor(in);
      const std::uint64_t image_id = in.data_id();
      if (!sensor.is_camera) continue;
      const auto known = rig->second.sensor_from_rig.find(sensor);
      if (known == rig->second.sensor_from_rig.end())
        in.fail(fmt::format("rig {} has no camera {}", rig_id, sensor.id));
      const auto image = waiting.find(image_id);
      if (image == waiting.end()) continue;  // it has no pose
      if (image->second->camera_id != sensor.id)
        in.fail(
            fmt::format("image {} is of camera {}, not {}", image_id, image->second->camera_id, sensor.id));
      if (known->second) compare_poses(model, *image->second, *known->second, rig_from_world);
      waiting.erase(image);
    }
  }
  if (!waiting.empty())
    in.fail(fmt::format("image '{}' has no frame", escape_bytes(waiting.begin()->second->name)));
}

// The binary or the text of a part; empty if there is neither.
fs::path part_of(const ColmapModel& model, const char* name) {
  std::error_code unknown;
  for (const char* const ending : {".bin", ".txt"})
    if (fs::path file = model.dir / (std::string(name) + ending); fs::is_regular_file(file, unknown))
      return file;
  return {};
}

}  // namespace

void check_colmap_frames(ColmapModel& model) {
  const fs::path rigs_file = part_of(model, "rigs"), frames_file = part_of(model, "frames");
  if (rigs_file.empty() && frames_file.empty()) return;
  if (rigs_file.empty() || frames_file.empty())
    throw Error(ErrorKind::input,
                fmt::format("{}: has {} alone; rigs and frames come together", model.dir.string(),
                            (rigs_file.empty() ? frames_file : rigs_file).filename().string()),
                model.dir.string());
  const auto rigs = rigs_file.extension() == ".bin" ? read_rigs(BinaryEntries(rigs_file))
                                                    : read_rigs(TextEntries(rigs_file, "rigs"));
  if (frames_file.extension() == ".bin")
    check_frames(BinaryEntries(frames_file), model, rigs);
  else
    check_frames(TextEntries(frames_file, "frames"), model, rigs);
  model.files.push_back(rigs_file);
  model.files.push_back(frames_file);
}

}  // namespace aqbench
