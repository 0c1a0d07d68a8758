#include "scenes/optics/camera.h"

#include <fmt/format.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "core/text.h"

namespace aqbench {
namespace {

constexpr double kRotationTolerance = 1e-6;  // calibration files of other programs have 7 digits
constexpr int kMaxImageSide = 1 << 16;

template <class... Args>
[[noreturn]] void camera_error(const std::string& where, std::string_view field,
                               fmt::format_string<Args...> what, Args&&... args) {
  throw input_error("{}: {}", field_path(where, field), fmt::format(what, std::forward<Args>(args)...));
}

void check_matrix_finite(const Mat3& matrix, const std::string& where, std::string_view field) {
  for (int row = 0; row < 3; ++row)
    for (int column = 0; column < 3; ++column)
      if (!std::isfinite(matrix(row, column)))
        camera_error(where, fmt::format("{}[{}][{}]", field, row, column), "must be finite");
}

void check_focal_length(const Intrinsics& intrinsics, int axis, const std::string& where) {
  const double focal_px = intrinsics.K(axis, axis);
  if (!(focal_px > 0))
    camera_error(where, fmt::format("K[{}][{}]", axis, axis), "focal length must be positive, got {}",
                 focal_px);
}

void check_refractive_index(double value, const std::string& where, std::string_view field) {
  if (!(value >= 0.5 && value <= 5)) camera_error(where, field, "must be between 0.5 and 5, got {}", value);
}

// Tables and folders have this name.
bool is_folder_name(const std::string& name) {
  return !name.empty() && name.size() <= 100 && name[0] != '.' && name.front() != ' ' && name.back() != ' ' &&
         is_valid_utf8(name) && std::ranges::all_of(name, [](unsigned char c) {
           return c >= ' ' && c != 127 && c != '/' && c != '\\' && c != '"';
         });
}

}  // namespace

std::string field_path(const std::string& where, std::string_view field) {
  return fmt::format("{}{}{}", where, where.ends_with(' ') ? "" : ".", field);
}

Vec3 camera_centre_m(const CameraFromWorld& pose) {
  return -(pose.rotation.transpose() * pose.translation_m);
}

const Camera* find_camera(const Rig& rig, std::string_view name) {
  const auto found = std::ranges::find(rig.cameras, name, &Camera::name);
  return found == rig.cameras.end() ? nullptr : &*found;
}

bool PixelMask::at(const Vec2& pixel, int reach_px) const {
  if (!(std::abs(pixel.x()) < 1e9 && std::abs(pixel.y()) < 1e9)) return false;
  const int column = static_cast<int>(std::lround(pixel.x())), row = static_cast<int>(std::lround(pixel.y()));
  for (int y = std::max(0, row - reach_px); y <= std::min(height_px - 1, row + reach_px); ++y)
    for (int x = std::max(0, column - reach_px); x <= std::min(width_px - 1, column + reach_px); ++x)
      if (counts[static_cast<std::size_t>(y) * static_cast<std::size_t>(width_px) +
                 static_cast<std::size_t>(x)])
        return true;
  return false;
}

std::optional<WaterInterface> level_water(const Rig& rig) {
  if (rig.cameras.empty()) return std::nullopt;
  const Interface& first = rig.cameras.front().interface;
  if (!std::ranges::all_of(rig.cameras, [&](const Camera& camera) { return camera.interface == first; }))
    return std::nullopt;
  const WaterInterface* const water = std::get_if<WaterInterface>(&first);
  return water == nullptr ? std::nullopt : std::optional(*water);
}

std::vector<Vec3> cameras_of_signs(const Rig& rig) {
  std::vector<Vec3> centres_m;
  for (const Camera& camera : rig.cameras)
    if (level_water(camera) == nullptr) centres_m.push_back(camera_centre_m(camera.camera_from_world));
  return centres_m;
}

void set_interface(Rig& rig, const Interface& interface) {
  for (Camera& camera : rig.cameras) camera.interface = interface;
}

bool is_dry(const Rig& rig) {
  return std::ranges::all_of(rig.cameras, [](const Camera& camera) {
    const WaterInterface* const water = level_water(camera);
    return water == nullptr ? std::holds_alternative<NoInterface>(camera.interface)
                            : water->n_air == water->n_water;
  });
}

void check(const Intrinsics& intrinsics, const std::string& where) {
  const Mat3& k = intrinsics.K;
  check_matrix_finite(k, where, "K");
  check_focal_length(intrinsics, 0, where);
  check_focal_length(intrinsics, 1, where);
  if (k(0, 1) != 0) camera_error(where, "K[0][1]", "skew must be 0: OpenCV's lens models have none");
  if (k(1, 0) != 0 || k(2, 0) != 0 || k(2, 1) != 0 || k(2, 2) != 1)
    camera_error(where, "K", "must be [[fx, 0, cx], [0, fy, cy], [0, 0, 1]]");
  const std::size_t count = intrinsics.distortion.size();
  if (intrinsics.lens == LensModel::fisheye && count != 4)
    camera_error(where, "dist_coeffs", "a fisheye lens needs 4 coefficients, got {}", count);
  if (intrinsics.lens == LensModel::brown_conrady && count != 5 && count != 8)
    camera_error(where, "dist_coeffs", "a pinhole lens needs 5 or 8 coefficients, got {}", count);
  for (std::size_t i = 0; i < count; ++i)
    if (!std::isfinite(intrinsics.distortion[i]))
      camera_error(where, fmt::format("dist_coeffs[{}]", i), "must be finite");
  for (const int side : {intrinsics.width_px, intrinsics.height_px})
    if (side < 1 || side > kMaxImageSide)
      camera_error(where, "image_size", "sides must be from 1 to {} px, got {}", kMaxImageSide, side);
}

void check(const CameraFromWorld& pose, const std::string& where) {
  check_matrix_finite(pose.rotation, where, "R");
  if (!pose.translation_m.allFinite()) camera_error(where, "t", "must be finite");
  const double error = (pose.rotation * pose.rotation.transpose() - Mat3::Identity()).cwiseAbs().maxCoeff();
  if (!(error <= kRotationTolerance) || pose.rotation.determinant() < 0)
    camera_error(where, "R", "is not a rotation: |R R^T - I| up to {:.3g}, determinant {:.3g}", error,
                 pose.rotation.determinant());
}

void check(const Camera& camera, const std::string& where) {
  if (!is_folder_name(camera.name))
    camera_error(where, "name",
                 "'{}' is not a plain folder name (UTF-8, no slash or quotation mark, no "
                 "dot in front, no blank at its ends)",
                 escape_bytes(camera.name));
  check(camera.intrinsics, field_path(where, "intrinsics"));
  check(camera.camera_from_world, field_path(where, "extrinsics"));
  if (const Port* const port = std::get_if<Port>(&camera.interface)) check(*port, field_path(where, "port"));
  const WaterInterface* const water = level_water(camera);
  if (water == nullptr) return;
  check(*water, field_path(where, "interface"));
  const double z_m = camera_centre_m(camera.camera_from_world).z();
  if (!(z_m < water->water_z_m))
    camera_error(where, "extrinsics", "the camera's centre, z = {} m, is not above the water at {} m", z_m,
                 water->water_z_m);
}

void check(const WaterInterface& water, const std::string& where) {
  if (!std::isfinite(water.water_z_m)) camera_error(where, "water_z", "must be finite");
  check_refractive_index(water.n_air, where, "n_air");
  check_refractive_index(water.n_water, where, "n_water");
}

void check(const Port& port, const std::string& where) {
  const bool flat = port.model == PortModel::flat;
  if (!port.axis.allFinite()) camera_error(where, "params", "must be finite");
  if (flat && !(std::abs(port.axis.norm() - 1) <= kRotationTolerance && port.axis.z() > 0))
    camera_error(where, "params", "the normal of FLATPORT must be a unit vector with z > 0");
  if (!flat && !(port.axis.norm() < port.distance_m))
    camera_error(where, "params",
                 "the camera's centre must be inside of DOMEPORT: {} m from its centre, radius {} m",
                 port.axis.norm(), port.distance_m);
  if (!(port.distance_m >= 0 && port.distance_m <= 100))
    camera_error(where, "params", "lengths must be from 0 to 100 m, got {}", port.distance_m);
  if (!(port.thickness_m >= 0 && port.thickness_m <= 1))
    camera_error(where, "params", "the glass must be 0 to 1 m thick, got {} m; lengths are metres",
                 port.thickness_m);
  check_refractive_index(port.n_air, where, "params: na");
  check_refractive_index(port.n_glass, where, "params: ng");
  check_refractive_index(port.n_water, where, "params: nw");
}

void check(const Rig& rig, const std::string& where) {
  if (rig.cameras.empty()) camera_error(where, "cameras", "at least one is needed");
  for (const Camera& camera : rig.cameras) {
    const std::string field = field_path(where, "cameras." + escape_bytes(camera.name));
    check(camera, field);
    if (find_camera(rig, camera.name) != &camera) camera_error(field, "name", "is a duplicate");
  }
}

}  // namespace aqbench
