#include "scenes/dataset/colmap_rig.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <filesystem>
#include <set>
#include <span>

#include "core/error.h"
#include "core/text.h"
#include "scenes/dataset/cameras_file.h"
#include "scenes/dataset/layout.h"
#include "scenes/optics/refraction.h"

namespace aqbench {
namespace {

// A corner's ray must point down by at least this much of its length.
constexpr double kLeastDown = 0.05;

[[noreturn]] void refuse_model(const ColmapModel& model, const std::string& why) {
  throw Error(ErrorKind::input, fmt::format("{}: {}", model.dir.string(), why));
}

[[noreturn]] void refuse_image(const ColmapModel& model, const std::string& image, const std::string& why) {
  refuse_model(model, fmt::format("image '{}': {}", escape_bytes(image), why));
}

// Where the parameters of a lens model stand: fx fy cx cy, then distortion in OpenCV's order. `taken` are the
// indices of further coefficients; all others must be 0, since OpenCV's lens has none of their kind.
struct LensOrder {
  const char* model;
  bool one_focal_length, fisheye;
  std::vector<std::size_t> taken;  // indices behind fx fy cx cy
};

const std::vector<LensOrder>& lens_orders() {
  static const std::vector<LensOrder> orders = {{"SIMPLE_PINHOLE", true, false, {}},
                                                {"PINHOLE", false, false, {}},
                                                {"SIMPLE_RADIAL", true, false, {0}},
                                                {"RADIAL", true, false, {0, 1}},
                                                {"OPENCV", false, false, {0, 1, 2, 3}},
                                                {"FULL_OPENCV", false, false, {0, 1, 2, 3, 4, 5, 6, 7}},
                                                {"SIMPLE_FISHEYE", true, true, {}},
                                                {"FISHEYE", false, true, {}},
                                                {"OPENCV_FISHEYE", false, true, {0, 1, 2, 3}},
                                                {"SIMPLE_RADIAL_FISHEYE", true, true, {0}},
                                                {"RADIAL_FISHEYE", true, true, {0, 1}},
                                                {"THIN_PRISM_FISHEYE", false, true, {0, 1, 4, 5}},
                                                {"RAD_TAN_THIN_PRISM_FISHEYE", false, true, {0, 1, 2, 3}}};
  return orders;
}

void take_distortion(const ColmapModel& model, const ColmapImage& image, const LensOrder& order,
                     std::span<const double> coefficients, Intrinsics& inside) {
  if (order.fisheye) inside.lens = LensModel::fisheye;
  inside.distortion.assign(order.fisheye ? 4 : order.taken.size() > 4 ? 8 : 5, 0.0);
  for (std::size_t i = 0; i < order.taken.size(); ++i) inside.distortion[i] = coefficients[order.taken[i]];
  for (std::size_t i = 0; i < coefficients.size(); ++i)
    if (coefficients[i] != 0 && std::ranges::find(order.taken, i) == order.taken.end())
      refuse_image(
          model, image.name,
          fmt::format("lens model {}: OpenCV's fisheye lens has no such coefficient as its number {}, {}",
                      order.model, i + 5, coefficients[i]));
}

Intrinsics intrinsics_of(const ColmapModel& model, const ColmapImage& image) {
  const ColmapCamera& camera = model.cameras.at(image.camera_id);
  const auto order =
      std::ranges::find(lens_orders(), camera.model, [](const LensOrder& o) { return std::string(o.model); });
  if (order == lens_orders().end())
    refuse_image(model, image.name, fmt::format("unsupported lens model {}", camera.model));
  if (camera.width_px < 1 || camera.width_px > 1 << 16 || camera.height_px < 1 || camera.height_px > 1 << 16)
    refuse_image(model, image.name, fmt::format("{} x {} px", camera.width_px, camera.height_px));
  Intrinsics inside;
  inside.width_px = static_cast<int>(camera.width_px);
  inside.height_px = static_cast<int>(camera.height_px);
  const std::vector<double>& p = camera.parameters;
  const std::size_t focal = order->one_focal_length ? 1 : 2;
  inside.K << p[0], 0, p[focal] - 0.5, 0, p[focal - 1], p[focal + 1] - 0.5, 0, 0, 1;
  take_distortion(model, image, *order, std::span(p).subspan(focal + 2), inside);
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
    names.push_back(camera_name_of(by_folder ? path.parent_path().concat(".") : path));
  }
  return names;
}

// Returns the first camera of which a corner does not look down, nullptr if all do.
const Camera* looks_aside(const Rig& rig) {
  for (const Camera& camera : rig.cameras) {
    const Intrinsics& inside = camera.intrinsics;
    for (const double x : {0.0, inside.width_px - 1.0})
      for (const double y : {0.0, inside.height_px - 1.0}) {
        const Vec3 ray((x - inside.K(0, 2)) / inside.K(0, 0), (y - inside.K(1, 2)) / inside.K(1, 1), 1);
        if ((camera.camera_from_world.rotation.transpose() * ray.normalized()).z() < kLeastDown)
          return &camera;
      }
  }
  return nullptr;
}

void turn_world(const Mat3& rig_from_own, ColmapRig& made) {
  for (Camera& camera : made.rig.cameras) camera.camera_from_world.rotation *= rig_from_own.transpose();
  made.own_from_rig.linear = rig_from_own.transpose();
}

// Depths begin between the lowest camera and the scene.
void place_plane(const ColmapModel& model, ColmapRig& made) {
  double& plane_m = made.rig.water.water_z_m;
  plane_m = plane_below_cameras_m(made.rig.cameras);
  const Mat3 rig_from_own = made.own_from_rig.linear.transpose();
  const auto above = std::ranges::count_if(model.points, [&](const auto& point) {
    return (rig_from_own * Vec3(point[0], point[1], point[2])).z() <= plane_m;
  });
  if (100 * above > static_cast<std::ptrdiff_t>(model.points.size()))
    refuse_model(model, fmt::format("{} of its {} points are not below every camera; aqbench needs a level "
                                    "plane between cameras and scene",
                                    above, model.points.size()));
}

}  // namespace

std::vector<Camera> colmap_cameras(const ColmapModel& model) {
  std::vector<Camera> cameras;
  const std::vector<std::string> names = camera_names(model);
  for (std::size_t i = 0; i < model.images.size(); ++i)
    cameras.push_back({names[i], intrinsics_of(model, model.images[i]), pose_of(model.images[i]), false});
  return cameras;
}

ColmapRig colmap_rig(const ColmapModel& model) {
  ColmapRig made;
  made.rig.cameras = colmap_cameras(model);
  Vec3 mean_direction = Vec3::Zero();
  for (const Camera& camera : made.rig.cameras)
    mean_direction += camera.camera_from_world.rotation.row(2).transpose();
  for (const ColmapImage& image : model.images) made.images.push_back(image.name);
  if (looks_aside(made.rig) != nullptr && mean_direction.norm() > 0)
    turn_world(Eigen::Quaterniond::FromTwoVectors(mean_direction, Vec3::UnitZ()).toRotationMatrix(), made);
  if (const Camera* const camera = looks_aside(made.rig))
    refuse_image(model, made.images[static_cast<std::size_t>(camera - made.rig.cameras.data())],
                 "one of its corners does not look down (the mean direction of all cameras); aqbench needs a "
                 "level plane between cameras and scene");
  made.rig.water = {0, 1, 1};
  place_plane(model, made);
  check(made.rig, model.dir.string() + ": ");
  return made;
}

}  // namespace aqbench
