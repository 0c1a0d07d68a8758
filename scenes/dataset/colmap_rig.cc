#include "scenes/dataset/colmap_rig.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <set>
#include <span>

#include "core/error.h"
#include "core/files.h"
#include "core/text.h"
#include "scenes/dataset/layout.h"

namespace aqbench {
namespace {

[[noreturn]] void refuse_model(const ColmapModel& model, const std::string& why) {
  throw input_error("{}: {}", model.dir.string(), why);
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

const LensOrder* lens_order(const std::string& model) {
  const auto order =
      std::ranges::find(lens_orders(), model, [](const LensOrder& o) { return std::string(o.model); });
  return order == lens_orders().end() ? nullptr : &*order;
}

// The first coefficient that is not 0 and that OpenCV's lens does not have.
std::optional<std::size_t> lacking_coefficient(const LensOrder& order, std::span<const double> coefficients) {
  for (std::size_t i = 0; i < coefficients.size(); ++i)
    if (coefficients[i] != 0 && std::ranges::find(order.taken, i) == order.taken.end()) return i;
  return std::nullopt;
}

std::vector<double> distortion_of(const LensOrder& order, std::span<const double> coefficients) {
  std::vector<double> distortion(order.fisheye ? 4 : order.taken.size() > 4 ? 8 : 5, 0.0);
  for (std::size_t i = 0; i < order.taken.size(); ++i) distortion[i] = coefficients[order.taken[i]];
  return distortion;
}

Intrinsics intrinsics_of(const ColmapModel& model, const ColmapImage& image) {
  const ColmapCamera& camera = model.cameras.at(image.camera_id);
  const LensOrder* const order = lens_order(camera.model);
  if (order == nullptr)
    refuse_image(model, image.name, fmt::format("unsupported lens model {}", camera.model));
  if (camera.width_px < 1 || camera.width_px > 1 << 16 || camera.height_px < 1 || camera.height_px > 1 << 16)
    refuse_image(model, image.name, fmt::format("{} x {} px", camera.width_px, camera.height_px));
  Intrinsics inside;
  inside.width_px = static_cast<int>(camera.width_px);
  inside.height_px = static_cast<int>(camera.height_px);
  const std::vector<double>& p = camera.parameters;
  const std::size_t focal = order->one_focal_length ? 1 : 2;
  inside.K << p[0], 0, p[focal] - 0.5, 0, p[focal - 1], p[focal + 1] - 0.5, 0, 0, 1;
  const auto coefficients = std::span(p).subspan(focal + 2);
  if (const auto i = lacking_coefficient(*order, coefficients))
    refuse_image(
        model, image.name,
        fmt::format("lens model {}: OpenCV's fisheye lens has no such coefficient as its number {}, {}",
                    order->model, *i + 5, coefficients[*i]));
  if (order->fisheye) inside.lens = LensModel::fisheye;
  inside.distortion = distortion_of(*order, coefficients);
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

// COLMAP's name of the lens model and its parameters after fx fy cx cy, which it takes from OpenCV.
std::string colmap_lens(const Intrinsics& intrinsics) {
  const Mat3& k = intrinsics.K;
  const std::vector<double>& d = intrinsics.distortion;
  const bool fisheye = intrinsics.lens == LensModel::fisheye;
  const bool radial3 = !fisheye && (d.size() == 8 || d[4] != 0);
  std::vector<double> parameters = {k(0, 0), k(1, 1), k(0, 2) + 0.5, k(1, 2) + 0.5};
  for (std::size_t i = 0; i < (radial3 ? 8 : 4); ++i) parameters.push_back(i < d.size() ? d[i] : 0.0);
  std::string line = fmt::format("{} {} {}",
                                 fisheye   ? "OPENCV_FISHEYE"
                                 : radial3 ? "FULL_OPENCV"
                                           : "OPENCV",
                                 intrinsics.width_px, intrinsics.height_px);
  for (const double value : parameters) line += fmt::format(" {}", value);
  return line;
}

}  // namespace

void take_colmap_intrinsics(const ColmapCamera& camera, OwnCamera& to) {
  const LensOrder* const order = lens_order(camera.model);
  if (order == nullptr) return;
  const std::vector<double>& p = camera.parameters;
  const std::size_t focal = order->one_focal_length ? 1 : 2;
  to.intrinsics = OwnIntrinsics{p[0],
                                p[focal - 1],
                                p[focal] - 0.5,
                                p[focal + 1] - 0.5,
                                static_cast<double>(camera.width_px),
                                static_cast<double>(camera.height_px)};
  const auto coefficients = std::span(p).subspan(focal + 2);
  if (lacking_coefficient(*order, coefficients)) return;
  to.distortion =
      order->taken.empty() && !order->fisheye ? std::vector<double>() : distortion_of(*order, coefficients);
}

std::vector<Camera> colmap_cameras(const ColmapModel& model) {
  std::vector<Camera> cameras;
  const std::vector<std::string> names = camera_names(model);
  for (std::size_t i = 0; i < model.images.size(); ++i)
    cameras.push_back({names[i], intrinsics_of(model, model.images[i]), pose_of(model.images[i]), false, {}});
  return cameras;
}

ColmapRig colmap_rig(const ColmapModel& model) {
  ColmapRig made;
  made.rig.cameras = colmap_cameras(model);
  for (const ColmapImage& image : model.images) made.images.push_back(image.name);
  check(made.rig, model.dir.string() + ": ");
  return made;
}

void write_colmap_model(const std::filesystem::path& dir, const Rig& rig, const std::string& image_file) {
  std::vector<std::string> names;
  for (const Camera& camera : rig.cameras) names.push_back(camera.name + "/" + image_file);
  write_colmap_model(dir, rig.cameras, names);
}

void write_colmap_model(const std::filesystem::path& dir, const std::vector<Camera>& all,
                        const std::vector<std::string>& image_names) {
  std::string cameras = "# CAMERA_ID, MODEL, WIDTH, HEIGHT, PARAMS[]\n";
  std::string images =
      "# IMAGE_ID, QW, QX, QY, QZ, TX, TY, TZ, CAMERA_ID, NAME\n# POINTS2D[] as (X, Y, POINT3D_ID)\n";
  std::size_t id = 0;
  for (const Camera& camera : all) {
    ++id;
    cameras += fmt::format("{} {}\n", id, colmap_lens(camera.intrinsics));
    const Eigen::Quaterniond q(camera.camera_from_world.rotation);
    const Vec3& t = camera.camera_from_world.translation_m;
    images += fmt::format("{} {} {} {} {} {} {} {} {} {}\n\n", id, q.w(), q.x(), q.y(), q.z(), t.x(), t.y(),
                          t.z(), id, image_names[id - 1]);
  }
  write_file(dir / "cameras.txt", cameras);
  write_file(dir / "images.txt", images);
  write_file(dir / "points3D.txt",
             "# POINT3D_ID, X, Y, Z, R, G, B, ERROR, TRACK[] as (IMAGE_ID, POINT2D_IDX)\n");
}

}  // namespace aqbench
