#include "pipeline/plane_sweep/kernels/flat_water_camera.h"

#include <cmath>

#include "core/error.h"
#include "scenes/optics/snell.h"

namespace aqbench::plane_sweep {
namespace {

constexpr double kRotationTolerance = 1e-5;

[[noreturn]] void refuse_camera(const std::string& where, const char* field, const std::string& what) {
  throw Error(ErrorKind::input, where + "." + field + ": " + what);
}

void check_rotation(const std::array<double, 9>& r, const std::string& where) {
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) {
      const double product = r[3 * i] * r[3 * j] + r[3 * i + 1] * r[3 * j + 1] + r[3 * i + 2] * r[3 * j + 2];
      if (!(std::abs(product - (i == j ? 1 : 0)) <= kRotationTolerance))
        refuse_camera(where, "rotation", "is not a rotation");
    }
  const double determinant = r[0] * (r[4] * r[8] - r[5] * r[7]) - r[1] * (r[3] * r[8] - r[5] * r[6]) +
                             r[2] * (r[3] * r[7] - r[4] * r[6]);
  if (determinant < 0) refuse_camera(where, "rotation", "is a reflection");
}

}  // namespace

void check(const FlatWaterCamera& camera, const std::string& where) {
  if (camera.width_px < 1 || camera.height_px < 1)
    refuse_camera(where, "width_px, height_px", "must be at least 1");
  if (!(camera.fx_px > 0) || !(camera.fy_px > 0) || !std::isfinite(camera.fx_px) ||
      !std::isfinite(camera.fy_px))
    refuse_camera(where, "fx_px, fy_px", "must be positive and finite");
  if (!std::isfinite(camera.cx_px) || !std::isfinite(camera.cy_px))
    refuse_camera(where, "cx_px, cy_px", "must be finite");
  check_rotation(camera.rotation, where);
  for (const double value : camera.translation_m)
    if (!std::isfinite(value)) refuse_camera(where, "translation_m", "must be finite");
  if (!std::isfinite(camera.water_z_m)) refuse_camera(where, "water_z_m", "must be finite");
  for (const double index : {camera.n_air, camera.n_water})
    if (!(index >= 0.5 && index <= 5)) refuse_camera(where, "n_air, n_water", "must be between 0.5 and 5");
  if (!(centre_m(camera)[2] < camera.water_z_m))
    refuse_camera(where, "translation_m", "the camera's centre is not above the water");
}

std::array<double, 3> centre_m(const FlatWaterCamera& camera) {
  const auto& r = camera.rotation;
  const auto& t = camera.translation_m;
  return {-(r[0] * t[0] + r[3] * t[1] + r[6] * t[2]), -(r[1] * t[0] + r[4] * t[1] + r[7] * t[2]),
          -(r[2] * t[0] + r[5] * t[1] + r[8] * t[2])};
}

bool cast_ray(const FlatWaterCamera& camera, double u_px, double v_px, WaterRay& ray) {
  const double x = (u_px - camera.cx_px) / camera.fx_px, y = (v_px - camera.cy_px) / camera.fy_px;
  const double scale = 1 / std::sqrt(x * x + y * y + 1);
  const auto& r = camera.rotation;
  const double air[3] = {(r[0] * x + r[3] * y + r[6]) * scale, (r[1] * x + r[4] * y + r[7]) * scale,
                         (r[2] * x + r[5] * y + r[8]) * scale};
  if (!(air[2] > 0)) return false;
  const double eta = camera.n_air / camera.n_water;
  const double sine2 = eta * eta * (air[0] * air[0] + air[1] * air[1]);
  if (!(sine2 < 1)) return false;
  const std::array<double, 3> centre = centre_m(camera);
  const double reach_m = (camera.water_z_m - centre[2]) / air[2];
  ray.origin_m = {centre[0] + reach_m * air[0], centre[1] + reach_m * air[1], camera.water_z_m};
  ray.direction = {eta * air[0], eta * air[1], std::sqrt(1 - sine2)};
  return true;
}

bool project(const FlatWaterCamera& camera, const std::array<double, 3>& point_m, double& u_px,
             double& v_px) {
  const std::array<double, 3> centre = centre_m(camera);
  const double height_m = camera.water_z_m - centre[2], depth_m = point_m[2] - camera.water_z_m;
  if (!(depth_m > 0)) return false;
  const double x = point_m[0] - centre[0], y = point_m[1] - centre[1], rho = std::sqrt(x * x + y * y);
  const SnellRatio<double> ratio = snell_ratio<double>(camera.n_air, camera.n_water);
  const double z = ratio.air_is_thinner ? apparent_point<true>(ratio, rho, height_m, depth_m).height
                                        : apparent_point<false>(ratio, rho, height_m, depth_m).height;
  const auto& r = camera.rotation;
  const double camera_z = r[6] * x + r[7] * y + r[8] * z;
  if (!(camera_z > 0)) return false;
  u_px = camera.fx_px * (r[0] * x + r[1] * y + r[2] * z) / camera_z + camera.cx_px;
  v_px = camera.fy_px * (r[3] * x + r[4] * y + r[5] * z) / camera_z + camera.cy_px;
  return std::isfinite(u_px) && std::isfinite(v_px);
}

}  // namespace aqbench::plane_sweep
