#include "scenes/dataset/colmap_model.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <span>
#include <utility>

#include "core/error.h"
#include "core/files.h"
#include "core/text.h"
#include "scenes/optics/port_file.h"

namespace aqbench {

namespace fs = std::filesystem;

namespace {

void read_binary_cameras(const std::filesystem::path& file, ColmapModel& model) {
  ColmapBinary in(file);
  for (auto left = in.next<std::uint64_t>(); left > 0; --left) {
    const auto id = in.next<std::uint32_t>();
    const auto lens_id = in.next<std::int32_t>();
    const auto lens = std::ranges::find(colmap_lenses(), lens_id, &ColmapLens::id);
    if (lens == colmap_lenses().end())
      in.fail("camera {}: unknown lens model {}; a model of the refractive COLMAP is read as text only", id,
              lens_id);
    ColmapCamera camera{std::string(lens->name), in.next<std::uint64_t>(), 0, {}};
    camera.height_px = in.next<std::uint64_t>();
    for (std::size_t i = 0; i < lens->parameters; ++i) camera.parameters.push_back(in.number());
    if (!model.cameras.emplace(id, std::move(camera)).second) in.fail("camera {} comes twice", id);
  }
  in.finish();
}

// Also written as a real number, "80.0", as DUSt3R's and others' exports have it.
std::uint64_t take_side_px(const ColmapText& in, std::string_view word, const char* what) {
  const double px = in.number(word);
  if (!(px >= 0 && px <= 1e9) || px != std::floor(px))
    in.lines().fail("{}: must be a whole number of pixels, got '{}'", what, word.substr(0, 40));
  return static_cast<std::uint64_t>(px);
}

// Reads the port of the refractive COLMAP behind the parameters of the lens: its name and 8 numbers.
Port take_port(const ColmapText& in, PortModel model, std::span<const std::string_view> words) {
  std::array<double, kPortNumbers> numbers{};
  if (words.size() != 1 + numbers.size())
    in.lines().fail("{} needs {} parameters, got {}", words[0], numbers.size(), words.size() - 1);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = in.number(words[i + 1]);
  const Port port = port_of(model, numbers);
  try {
    check(port, std::string(words[0]));
  } catch (const Error& error) {
    in.lines().fail(error.what());
  }
  return port;
}

void read_text_cameras(const std::filesystem::path& file, ColmapModel& model) {
  ColmapText in(file, "cameras");
  std::size_t cameras = 0;
  for (std::string_view line; in.next(line); ++cameras) {
    const std::vector<std::string_view> words = split_words(line);
    if (words.size() < 4) in.lines().fail("expected CAMERA_ID MODEL WIDTH HEIGHT PARAMS");
    const auto lens = std::ranges::find(colmap_lenses(), words[1], &ColmapLens::name);
    if (lens == colmap_lenses().end()) in.lines().fail("unknown lens model '{}'", words[1].substr(0, 40));
    const std::size_t lens_end = 4 + lens->parameters;
    const auto port = words.size() > lens_end ? port_model(words[lens_end]) : std::nullopt;
    if (!port && words.size() > lens_end && !parse_double(words[lens_end]))
      in.lines().fail("port '{}' is neither FLATPORT nor DOMEPORT", words[lens_end].substr(0, 40));
    if (!port && words.size() != lens_end)
      in.lines().fail("{} needs {} parameters, got {}", lens->name, lens->parameters, words.size() - 4);
    ColmapCamera camera{std::string(lens->name),
                        take_side_px(in, words[2], "WIDTH"),
                        take_side_px(in, words[3], "HEIGHT"),
                        {}};
    for (std::size_t i = 4; i < lens_end; ++i) camera.parameters.push_back(in.number(words[i]));
    if (port) camera.port = take_port(in, *port, std::span(words).subspan(lens_end));
    if (!model.cameras.emplace(in.id(words[0], "CAMERA_ID"), std::move(camera)).second)
      in.lines().fail("camera {} comes twice", words[0]);
  }
  in.check_count(cameras);
}

// The binary or the text of a part; empty if there is neither.
fs::path part_of(const ColmapModel& model, const char* name) {
  for (const char* const ending : {".bin", ".txt"})
    if (fs::path file = model.dir / (std::string(name) + ending); is_file(file)) return file;
  return {};
}

bool is_binary_part(const fs::path& file) { return file.extension() == ".bin"; }

// Returns a part that the model must have, and adds it to the files.
fs::path required_part(ColmapModel& model, const char* name) {
  const fs::path file = part_of(model, name);
  if (file.empty()) throw input_error("{}: no such .bin or .txt file", (model.dir / name).string());
  model.files.push_back(file);
  return file;
}

// The cameras; the text where it has ports, which COLMAP's binary beside it does not hold.
fs::path cameras_part(ColmapModel& model) {
  const fs::path text = model.dir / "cameras.txt";
  if (!is_file(text)) return required_part(model, "cameras");
  const std::string lines = read_file(text);
  if (lines.find(port_name(PortModel::flat)) == lines.npos &&
      lines.find(port_name(PortModel::dome)) == lines.npos)
    return required_part(model, "cameras");
  model.files.push_back(text);
  return text;
}

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

// The poses of a rig's sensors in it; nullopt: unknown.
using SensorsFromRig = std::map<SensorId, std::optional<RigidPose>>;

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
  template <class... Args>
  [[noreturn]] void fail(fmt::format_string<Args...> what, Args&&... args) const {
    in_.fail(what, std::forward<Args>(args)...);
  }

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
  template <class... Args>
  [[noreturn]] void fail(fmt::format_string<Args...> what, Args&&... args) const {
    in_.lines().fail("{}", fmt::format(what, std::forward<Args>(args)...));
  }

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
std::map<std::uint32_t, SensorsFromRig> read_rigs(Entries in) {
  std::map<std::uint32_t, SensorsFromRig> rigs;
  for (; in.more(); in.end_entry()) {
    const auto [rig, is_new] = rigs.try_emplace(in.id());
    if (!is_new) in.fail("rig {} comes twice", rig->first);
    const std::uint32_t count = in.id();
    for (std::uint32_t i = 0; i < count; ++i) {
      const SensorId sensor = take_sensor(in);
      std::optional<RigidPose> pose = RigidPose();  // of the first one, which is the rig's frame
      if (i > 0) pose = in.flag() ? std::optional(take_rigid_pose(in)) : std::nullopt;
      if (!rig->second.emplace(sensor, pose).second) in.fail("sensor {} comes twice", sensor.id);
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
  throw input_error.of_file(model.dir,
                            "image '{}': its pose differs from that of its frame and rig; write the model "
                            "again with COLMAP, or remove rigs and frames",
                            escape_bytes(image.name));
}

template <class Entries>
void check_frames(Entries in, const ColmapModel& model, const std::map<std::uint32_t, SensorsFromRig>& rigs) {
  std::map<std::uint64_t, const ColmapImage*> waiting;
  for (const ColmapImage& image : model.images) waiting[image.id] = &image;
  for (; in.more(); in.end_entry()) {
    in.id();  // its number
    const std::uint32_t rig_id = in.id();
    const auto rig = rigs.find(rig_id);
    if (rig == rigs.end()) in.fail("rig {} is missing in the model", rig_id);
    const RigidPose rig_from_world = take_rigid_pose(in);
    for (std::uint32_t left = in.id(); left > 0; --left) {
      const SensorId sensor = take_sensor(in);
      const std::uint64_t image_id = in.data_id();
      if (!sensor.is_camera) continue;
      const auto known = rig->second.find(sensor);
      if (known == rig->second.end()) in.fail("rig {} has no camera {}", rig_id, sensor.id);
      const auto image = waiting.find(image_id);
      if (image == waiting.end()) continue;  // it has no pose
      if (image->second->camera_id != sensor.id)
        in.fail("image {} is of camera {}, not {}", image_id, image->second->camera_id, sensor.id);
      if (known->second) compare_poses(model, *image->second, *known->second, rig_from_world);
      waiting.erase(image);
    }
  }
  if (!waiting.empty()) in.fail("image '{}' has no frame", escape_bytes(waiting.begin()->second->name));
}

}  // namespace

const std::vector<ColmapLens>& colmap_lenses() {
  static const std::vector<ColmapLens> lenses = {
      {0, "SIMPLE_PINHOLE", 3, true, true},
      {1, "PINHOLE", 4, true},
      {2, "SIMPLE_RADIAL", 4, true, true, false, {0}},
      {3, "RADIAL", 5, true, true, false, {0, 1}},
      {4, "OPENCV", 8, true, false, false, {0, 1, 2, 3}},
      {5, "OPENCV_FISHEYE", 8, true, false, true, {0, 1, 2, 3}},
      {6, "FULL_OPENCV", 12, true, false, false, {0, 1, 2, 3, 4, 5, 6, 7}},
      {7, "FOV", 5, false},
      {8, "SIMPLE_RADIAL_FISHEYE", 4, true, true, true, {0}},
      {9, "RADIAL_FISHEYE", 5, true, true, true, {0, 1}},
      {10, "THIN_PRISM_FISHEYE", 12, true, false, true, {0, 1, 4, 5}},
      {11, "RAD_TAN_THIN_PRISM_FISHEYE", 16, true, false, true, {0, 1, 2, 3}},
      {12, "SIMPLE_DIVISION", 4, false},
      {13, "DIVISION", 5, false},
      {14, "SIMPLE_FISHEYE", 3, true, true, true},
      {15, "FISHEYE", 4, true, false, true}};
  return lenses;
}

std::filesystem::path find_colmap_model(const std::filesystem::path& dataset_dir) {
  for (const char* const place : kColmapPlaces) {
    const std::filesystem::path dir = *place == '\0' ? dataset_dir : dataset_dir / place;
    if ((is_file(dir / "cameras.bin") || is_file(dir / "cameras.txt")) &&
        (is_file(dir / "images.bin") || is_file(dir / "images.txt")))
      return dir;
  }
  return {};
}

ColmapModel read_colmap_model(const std::filesystem::path& model_dir) {
  ColmapModel model;
  model.dir = model_dir;
  const fs::path cameras = cameras_part(model);
  (is_binary_part(cameras) ? read_binary_cameras : read_text_cameras)(cameras, model);
  model.images = read_colmap_images(required_part(model, "images"));
  if (const fs::path points = part_of(model, "points3D"); !points.empty()) {
    read_colmap_points(points);
    model.files.push_back(points);
  }
  std::ranges::sort(model.images, {}, &ColmapImage::name);
  for (const ColmapImage& image : model.images) {
    const std::string where = fmt::format("{}: image '{}'", model_dir.string(), escape_bytes(image.name));
    if (!model.cameras.contains(image.camera_id))
      throw input_error("{}: camera {} is missing in the model", where, image.camera_id);
    double norm2 = 0;
    for (const double value : image.quaternion_wxyz) norm2 += value * value;
    if (std::abs(norm2 - 1) > 1e-3) throw input_error("{}: its quaternion does not have length 1", where);
  }
  if (model.images.empty()) throw input_error("{}: the model has no image", model_dir.string());
  return model;
}

void check_colmap_frames(ColmapModel& model) {
  const fs::path rigs_file = part_of(model, "rigs"), frames_file = part_of(model, "frames");
  if (rigs_file.empty() && frames_file.empty()) return;
  if (rigs_file.empty() || frames_file.empty())
    throw input_error.of_file(model.dir, "has {} alone; rigs and frames come together",
                              (rigs_file.empty() ? frames_file : rigs_file).filename().string());
  const auto rigs = is_binary_part(rigs_file) ? read_rigs(BinaryEntries(rigs_file))
                                              : read_rigs(TextEntries(rigs_file, "rigs"));
  if (is_binary_part(frames_file))
    check_frames(BinaryEntries(frames_file), model, rigs);
  else
    check_frames(TextEntries(frames_file, "frames"), model, rigs);
  model.files.push_back(rigs_file);
  model.files.push_back(frames_file);
}

}  // namespace aqbench
