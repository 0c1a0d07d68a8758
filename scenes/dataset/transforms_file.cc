#include "scenes/dataset/layouts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>
#include <optional>
#include <string>
#include <utility>

#include "core/files.h"
#include "core/text.h"
#include "scenes/cloud/camera_poses.h"

namespace aqbench {
namespace {

namespace fs = std::filesystem;

// A frame and the top of the file, which holds what the frame lacks.
struct FramePlace {
  const JsonPlace& frame;
  const JsonPlace& root;

  std::optional<JsonPlace> find(std::string_view key) const {
    auto own = frame.find(key);
    return own ? own : root.find(key);
  }
  double number_or(std::string_view key, double missing) const {
    const auto found = find(key);
    return found ? found->number() : missing;
  }
};

// ---- The lens ----

bool is_known_model(const std::string& name) {
  constexpr const char* kModels[] = {"OPENCV_FISHEYE", "SIMPLE_PINHOLE", "PINHOLE",
                                     "SIMPLE_RADIAL",  "RADIAL",         "OPENCV"};
  return std::ranges::find(kModels, name) != std::end(kModels);
}

bool is_fisheye_lens(const FramePlace& place) {
  if (const auto model = place.find("camera_model")) {
    const std::string name = model->text();
    if (name == "OPENCV_FISHEYE") return true;
    if (!is_known_model(name))
      model->fail(
          "unsupported camera model '{}'; SIMPLE_PINHOLE, PINHOLE, SIMPLE_RADIAL, RADIAL, "
          "OPENCV and OPENCV_FISHEYE are read",
          printable(name));
  }
  const auto fisheye = place.find("is_fisheye");
  return fisheye && fisheye->boolean();
}

void refuse_unless_zero(const FramePlace& place, std::initializer_list<const char*> keys, const char* lens) {
  for (const char* const key : keys)
    if (const auto found = place.find(key); found && found->number() != 0)
      found->fail("must be 0: {} has no such coefficient", lens);
}

void take_lens(const FramePlace& place, Intrinsics& inside) {
  const auto all = [&](std::initializer_list<const char*> keys) {
    inside.distortion.clear();
    for (const char* const key : keys) inside.distortion.push_back(place.number_or(key, 0));
  };
  if (is_fisheye_lens(place)) {
    inside.lens = LensModel::fisheye;
    all({"k1", "k2", "k3", "k4"});
    refuse_unless_zero(place, {"p1", "p2"}, "a fisheye lens");
    return;
  }
  all({"k1", "k2", "p1", "p2", "k3"});
  refuse_unless_zero(place, {"k4", "k5", "k6"}, "OpenCV's lens of k1 k2 p1 p2 k3");
}

// ---- Size, focal length, principal point ----

void take_side(const FramePlace& place, const char* key, int& side_px) {
  const auto found = place.find(key);
  if (!found) return;
  const double px = found->number();
  if (!(px >= 1 && px <= 1 << 20) || px != std::floor(px))
    found->fail("must be a whole number of pixels from 1 to 1048576");
  side_px = static_cast<int>(px);
}

// Of one axis: its length, or its angle of view in degrees or radians; the frame before the top.
std::optional<double> focal_px(const FramePlace& place, std::string_view axis, double side_px) {
  constexpr double kDeg = std::numbers::pi / 180;
  const std::string length = fmt::format("fl_{}", axis), degrees = fmt::format("{}_fov", axis),
                    radians = fmt::format("camera_angle_{}", axis);
  for (const JsonPlace* const level : {&place.frame, &place.root}) {
    if (const auto found = level->find(length)) {
      if (!(found->number() > 0)) found->fail("must be positive");
      return found->number();
    }
    for (const auto& [key, unit_rad] : {std::pair(degrees, kDeg), {radians, 1.0}})
      if (const auto found = level->find(key)) {
        const double angle_rad = unit_rad * found->number();
        if (!(angle_rad > 0 && angle_rad < 3.14159))
          found->fail("must be an angle between 0 and 180 degrees");
        return 0.5 * side_px / std::tan(0.5 * angle_rad);
      }
  }
  return std::nullopt;
}

Intrinsics intrinsics_at(const FramePlace& place, const fs::path& image) {
  Intrinsics inside;
  const bool has_size = place.find("w") && place.find("h");
  if (!has_size) take_size(image, inside);
  take_side(place, "w", inside.width_px);
  take_side(place, "h", inside.height_px);
  const auto focal = focal_lengths_at(place.frame, place.root, inside.width_px, inside.height_px);
  if (!focal)
    place.frame.fail(
        "has none of fl_x, fl_y, camera_angle_x, camera_angle_y, x_fov and y_fov, nor has the top of the "
        "file");
  inside.K << focal->x(), 0, place.number_or("cx", 0.5 * inside.width_px) - 0.5,  //
      0, focal->y(), place.number_or("cy", 0.5 * inside.height_px) - 0.5,         //
      0, 0, 1;
  if (!has_size) check_principal_point(inside, image, "it is for another size: give w and h");
  take_lens(place, inside);
  return inside;
}

// ---- The image ----

// Also a name without its ending, as Blender writes it.
std::string with_ending(const fs::path& dir, const std::string& name) {
  for (const char* const ending : {"", ".png", ".jpg", ".jpeg", ".PNG", ".JPG", ".JPEG", ".tif", ".tiff"})
    for (const fs::path& place : {dir / "images", dir})
      if (is_file(place / (name + ending))) return name + ending;
  return name;
}

// Without the folder "images", which all names share.
std::string name_of_camera(const std::string& image) {
  fs::path path = fs::path(image).lexically_normal();
  if (*path.begin() == "images") path = path.lexically_relative("images");
  return camera_name_of(path);
}

// The camera of a frame, named by its image.
Camera camera_at(const FramePlace& place, const std::string& name, const fs::path& image) {
  Camera camera;
  camera.name = name_of_camera(name);
  camera.intrinsics = intrinsics_at(place, image);
  const OwnCamera pose = pose_of_frame(place.frame);
  const Mat3 turn = pose.own_from_camera.transpose();
  camera.camera_from_world = {turn, -(turn * pose.centre)};
  return camera;
}

}  // namespace

std::optional<Vec2> focal_lengths_at(const JsonPlace& frame, const JsonPlace& root, double width_px,
                                     double height_px) {
  const FramePlace place{frame, root};
  const auto fx = focal_px(place, "x", width_px), fy = focal_px(place, "y", height_px);
  if (!fx && !fy) return std::nullopt;
  return Vec2(fx ? *fx : *fy, fy ? *fy : *fx);
}

std::optional<std::vector<double>> distortion_at(const JsonPlace& frame, const JsonPlace& root) {
  const FramePlace place{frame, root};
  if (const auto model = place.find("camera_model"); model && !is_known_model(model->text())) return {};
  const bool fisheye = is_fisheye_lens(place);
  for (const char* const key : {fisheye ? "p1" : "k4", fisheye ? "p2" : "k5", "k6"})
    if (place.number_or(key, 0) != 0) return {};
  Intrinsics inside;
  take_lens(place, inside);
  return inside.distortion;
}

fs::path find_transforms_file(const fs::path& dir) {
  for (const char* const name : {"transforms.json", "transforms_train.json"})
    if (is_file(dir / name)) return dir / name;
  return {};
}

LayoutCameras read_transforms_folder(const fs::path& dir) {
  const fs::path file = find_transforms_file(dir);
  const Json json = read_strict_json(file);
  const JsonPlace root(json, file.string());
  LayoutCameras read;
  read.files = {file};
  const JsonPlace frames = root.at("frames");
  std::optional<std::pair<std::string, std::string>> missing;  // the first image, and its camera
  for (const JsonPlace& frame : frames.elements()) {
    const std::string name = with_ending(dir, frame.at("file_path").text());
    const std::string camera = name_of_camera(name);
    const fs::path image = find_named_image(dir, name, camera);
    if (image.empty()) {
      ++read.without_image;
      if (!missing) missing.emplace(name, camera);
      continue;
    }
    read.images.push_back(image);
    read.masks.emplace_back();
    if (const auto mask = frame.find("mask_path")) read.masks.back() = named_image(dir, mask->text(), camera);
    read.cameras.push_back(camera_at({frame, root}, name, image));
  }
  if (read.cameras.empty() && missing) named_image(dir, missing->first, missing->second);  // refuses it
  if (read.cameras.empty()) frames.fail("is empty");
  return read;
}

std::vector<Camera> read_transforms_cameras(const fs::path& file) {
  const Json json = read_strict_json(file);
  const JsonPlace root(json, file.string()), frames = root.at("frames");
  std::vector<Camera> cameras;
  for (const JsonPlace& frame : frames.elements()) {
    const std::string name = frame.at("file_path").text();
    cameras.push_back(camera_at({frame, root}, name, file.parent_path() / name));
  }
  if (cameras.empty()) frames.fail("is empty");
  return cameras;
}

}  // namespace aqbench
