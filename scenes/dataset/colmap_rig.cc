#include "scenes/dataset/colmap_rig.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <filesystem>
#include <set>

#include "core/error.h"
#include "core/text.h"

namespace aqbench {
namespace {

[[noreturn]] void refuse_model(const ColmapModel& model, const std::string& why) {
  throw Error(ErrorKind::input, fmt::format("{}: {}", model.dir.string(), why));
}

[[noreturn]] void refuse_image(const ColmapModel& model, const std::string& image, const std::string& why) {
  refuse_model(model, fmt::format("image '{}': {}", escape_bytes(image), why));
}

// Where the parameters of a lens model stand: fx fy cx cy, then distortion in OpenCV's order.
struct LensOrder {
  const char* model;
  bool one_focal_length, fisheye;
  std::size_t distortion;  // coefficients
};

constexpr LensOrder kOrders[] = {{"SIMPLE_PINHOLE", true, false, 0}, {"PINHOLE", false, false, 0},
                                 {"SIMPLE_RADIAL", true, false, 1},  {"RADIAL", true, false, 2},
                                 {"OPENCV", false, false, 4},        {"FULL_OPENCV", false, false, 8},
                                 {"OPENCV_FISHEYE", false, true, 4}, {"SIMPLE_RADIAL_FISHEYE", true, true, 1},
                                 {"RADIAL_FISHEYE", true, true, 2}};

Intrinsics intrinsics_of(const ColmapModel& model, const ColmapImage& image) {
  const ColmapCamera& camera = model.cameras.at(image.camera_id);
  const auto* const order =
      std::ranges::find(kOrders, camera.model, [](const LensOrder& o) { return std::string(o.model); });
  if (order == std::end(kOrders))
    refuse_image(model, image.name, fmt::format("unsupported lens model {}", camera.model));
  if (camera.width_px < 1 || camera.width_px > 1 << 16 || camera.height_px < 1 || camera.height_px > 1 << 16)
    refuse_image(model, image.name, fmt::format("{} x {} px", camera.width_px, camera.height_px));
  Intrinsics inside;
  inside.width_px = static_cast<int>(camera.width_px);
  inside.height_px = static_cast<int>(camera.height_px);
  const std::vector<double>& p = camera.parameters;
  const std::size_t focal = order->one_focal_length ? 1 : 2;
  inside.K << p[0], 0, p[focal] - 0.5, 0, p[focal - 1], p[focal + 1] - 0.5, 0, 0, 1;
  if (order->fisheye) inside.lens = LensModel::fisheye;
  inside.distortion.assign(order->fisheye ? 4 : order->distortion > 4 ? 8 : 5, 0.0);
  std::copy_n(p.begin() + static_cast<std::ptrdiff_t>(focal + 2), order->distortion,
              inside.distortion.begin());
  return inside;
}

CameraFromWorld pose_of(const ColmapImage& image) {
  const auto& [w, x, y, z] = image.quaternion_wxyz;
  const auto& t = image.translation;
  return {Eigen::Quaterniond(w, x, y, z).normalized().toRotationMatrix(), {t[0], t[1], t[2]}};
}

std::vector<std::string> camera_names(const ColmapModel& model) {
  std::set<std::string> files, folders;
  for (const ColmapImage& image : model.images) {
    files.insert(std::filesystem::path(image.name).filename().string());
    folders.insert(std::filesystem::path(image.name).parent_path().generic_string());
  }
  const bool by_folder = files.size() == 1 && folders.size() == model.images.size() && !folders.contains("");
  std::vector<std::string> names;
  for (const ColmapImage& image : model.images) {
    const std::filesystem::path path = image.name;
    names.push_back((by_folder ? path.parent_path() : path.parent_path() / path.stem()).generic_string());
    for (const char refused : {'/', '\\', '"'}) std::ranges::replace(names.back(), refused, '_');
  }
  return names;
}

}  // namespace

ColmapRig colmap_rig(const ColmapModel& model) {
  ColmapRig made;
  const std::vector<std::string> names = camera_names(model);
  for (std::size_t i = 0; i < model.images.size(); ++i) {
    const ColmapImage& image = model.images[i];
    made.rig.cameras.push_back({names[i], intrinsics_of(model, image), pose_of(image), false, {}});
    made.images.push_back(image.name);
  }
  check(made.rig, model.dir.string() + ": ");
  return made;
}

}  // namespace aqbench
