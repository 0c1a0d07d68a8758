#include "scenes/optics/refractive_camera.h"

#include <Eigen/Eigenvalues>
#include <cmath>

#include "core/error.h"

namespace aqbench {
namespace {

constexpr double kOrthonormalTolerance = 1e-5;

[[noreturn]] void refuse_camera(const std::string& where, const char* field, const std::string& what) {
  throw Error(ErrorKind::input, where + "." + field + ": " + what);
}

void check_rotation(const std::array<double, 9>& r, const std::string& where) {
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) {
      const double product = r[3 * i] * r[3 * j] + r[3 * i + 1] * r[3 * j + 1] + r[3 * i + 2] * r[3 * j + 2];
      if (!(std::abs(product - (i == j ? 1 : 0)) <= kOrthonormalTolerance))
        refuse_camera(where, "rotation", "is not a rotation");
    }
  const double determinant = r[0] * (r[4] * r[8] - r[5] * r[7]) - r[1] * (r[3] * r[8] - r[5] * r[6]) +
                             r[2] * (r[3] * r[7] - r[4] * r[6]);
  if (determinant < 0) refuse_camera(where, "rotation", "is a reflection");
}

// Finds the root of rho(t) = rho (snell.h) to rounding, from below.
double thin_tangent(const SnellRatio<double>& ratio, double rho, double h_thin, double h_dense) {
  double t = thin_tangent_start(ratio, rho, h_thin, h_dense);
  // Quadratic convergence: 3 to 7 steps. They rise until rounding stops them, except for the first, which may
  // come down if rounding put the start above the root.
  for (int i = 0; i < 30; ++i) {
    const double w = std::sqrt(1 + ratio.c * t * t);
    const double a = h_dense * ratio.m / w;
    const double next = t - (t * (h_thin + a) - rho) / (h_thin + a / (w * w));
    if (i > 0 && !(next > t)) break;
    t = next;
  }
  return t;
}

std::array<double, 3> normalized(double x, double y, double z) {
  const double length = std::sqrt(x * x + y * y + z * z);
  return {x / length, y / length, z / length};
}

bool cast_to_water(const RefractiveCamera& camera, double u_px, double v_px, WaterRay& ray) {
  const double u = (u_px - camera.cx_px) / camera.fx_px, v = (v_px - camera.cy_px) / camera.fy_px;
  const std::array<double, 9>& r = camera.rotation;
  const std::array<double, 3> in_air =
      normalized(r[0] * u + r[3] * v + r[6], r[1] * u + r[4] * v + r[7], r[2] * u + r[5] * v + r[8]);
  if (!(in_air[2] > 0)) return false;
  const double height_m = camera.water_z_m - camera.centre_m[2];
  ray.origin_m = {camera.centre_m[0] + height_m * in_air[0] / in_air[2],
                  camera.centre_m[1] + height_m * in_air[1] / in_air[2], camera.water_z_m};
  ray.direction = in_air;
  if (camera.n_air == camera.n_water) return true;
  const double eta = camera.n_air / camera.n_water;
  const double x = eta * in_air[0], y = eta * in_air[1];
  const double z2 = 1 - x * x - y * y;
  if (!(z2 > 0)) return false;
  ray.direction = normalized(x, y, std::sqrt(z2));
  return true;
}

bool cast_to_water_fast(const RefractiveCamera& camera, double u_px, double v_px, WaterRay& ray) {
  const double x = (u_px - camera.cx_px) / camera.fx_px, y = (v_px - camera.cy_px) / camera.fy_px;
  const double scale = 1 / std::sqrt(x * x + y * y + 1);
  const auto& r = camera.rotation;
  const double air[3] = {(r[0] * x + r[3] * y + r[6]) * scale, (r[1] * x + r[4] * y + r[7]) * scale,
                         (r[2] * x + r[5] * y + r[8]) * scale};
  if (!(air[2] > 0)) return false;
  const double eta = camera.n_air / camera.n_water;
  const double sine2 = eta * eta * (air[0] * air[0] + air[1] * air[1]);
  if (!(sine2 < 1)) return false;
  const double reach_m = (camera.water_z_m - camera.centre_m[2]) / air[2];
  ray.origin_m = {camera.centre_m[0] + reach_m * air[0], camera.centre_m[1] + reach_m * air[1],
                  camera.water_z_m};
  ray.direction = {eta * air[0], eta * air[1], std::sqrt(1 - sine2)};
  return true;
}

bool project_from_water(const RefractiveCamera& camera, const std::array<double, 3>& point_m, double& u_px,
                        double& v_px, double& depth_along_ray_m) {
  const double x = point_m[0] - camera.centre_m[0], y = point_m[1] - camera.centre_m[1];
  const double h_air = camera.water_z_m - camera.centre_m[2];
  const double h_water = point_m[2] - camera.water_z_m;
  if (!(h_water > 0)) return false;
  const double rho = std::sqrt(x * x + y * y);
  const SnellRatio<double>& ratio = camera.ratio;
  double height = point_m[2] - camera.centre_m[2];
  double water_tangent = rho / height;
  if (camera.n_air != camera.n_water) {
    const double h_thin = ratio.air_is_thinner ? h_air : h_water;
    const double h_dense = ratio.air_is_thinner ? h_water : h_air;
    const double t = thin_tangent(ratio, rho, h_thin, h_dense);
    const double w = std::sqrt(1 + ratio.c * t * t);
    height = h_air + h_water * (ratio.air_is_thinner ? ratio.m / w : w / ratio.m);
    water_tangent = ratio.air_is_thinner ? ratio.m * t / w : t;
  }
  const std::array<double, 9>& r = camera.rotation;
  // The brackets keep the order in which stored results were summed.
  const double camera_z = r[6] * x + (r[7] * y + r[8] * height);
  if (!(camera_z > 0)) return false;
  u_px = camera.cx_px + camera.fx_px * (r[0] * x + r[1] * y + r[2] * height) / camera_z;
  v_px = camera.cy_px + camera.fy_px * (r[3] * x + r[4] * y + r[5] * height) / camera_z;
  depth_along_ray_m = h_water * std::sqrt(1 + water_tangent * water_tangent);
  return true;
}

bool project_from_water_fast(const RefractiveCamera& camera, const std::array<double, 3>& point_m,
                             double& u_px, double& v_px) {
  const std::array<double, 3>& centre = camera.centre_m;
  const double height_m = camera.water_z_m - centre[2], depth_m = point_m[2] - camera.water_z_m;
  if (!(depth_m > 0)) return false;
  const double x = point_m[0] - centre[0], y = point_m[1] - centre[1], rho = std::sqrt(x * x + y * y);
  const SnellRatio<double>& ratio = camera.ratio;
  const double z = ratio.air_is_thinner ? apparent_point<true>(ratio, rho, height_m, depth_m).height
                                        : apparent_point<false>(ratio, rho, height_m, depth_m).height;
  const auto& r = camera.rotation;
  const double camera_z = r[6] * x + r[7] * y + r[8] * z;
  if (!(camera_z > 0)) return false;
  u_px = camera.fx_px * (r[0] * x + r[1] * y + r[2] * z) / camera_z + camera.cx_px;
  v_px = camera.fy_px * (r[3] * x + r[4] * y + r[5] * z) / camera_z + camera.cy_px;
  return std::isfinite(u_px) && std::isfinite(v_px);
}

bool cast_straight(const RefractiveCamera& camera, double u_px, double v_px, WaterRay& ray) {
  const double u = (u_px - camera.cx_px) / camera.fx_px, v = (v_px - camera.cy_px) / camera.fy_px;
  const std::array<double, 9>& r = camera.rotation;
  ray.origin_m = camera.centre_m;
  ray.direction =
      normalized(r[0] * u + r[3] * v + r[6], r[1] * u + r[4] * v + r[7], r[2] * u + r[5] * v + r[8]);
  return std::isfinite(ray.direction[2]);
}

bool project_straight(const RefractiveCamera& camera, const std::array<double, 3>& point_m, double& u_px,
                      double& v_px, double& depth_along_ray_m) {
  const double x = point_m[0] - camera.centre_m[0], y = point_m[1] - camera.centre_m[1],
               z = point_m[2] - camera.centre_m[2];
  const std::array<double, 9>& r = camera.rotation;
  const double camera_z = r[6] * x + r[7] * y + r[8] * z;
  if (!(camera_z > 0)) return false;
  u_px = camera.cx_px + camera.fx_px * (r[0] * x + r[1] * y + r[2] * z) / camera_z;
  v_px = camera.cy_px + camera.fy_px * (r[3] * x + r[4] * y + r[5] * z) / camera_z;
  depth_along_ray_m = std::sqrt(x * x + y * y + z * z);
  return std::isfinite(u_px) && std::isfinite(v_px);
}

bool project_straight_fast(const RefractiveCamera& camera, const std::array<double, 3>& point_m, double& u_px,
                           double& v_px) {
  double depth_m = 0;
  return project_straight(camera, point_m, u_px, v_px, depth_m);
}

}  // namespace

constexpr RayOptics kStraightRays{cast_straight, cast_straight, project_straight, project_straight_fast};
constexpr RayOptics kLevelWaterRays{cast_to_water, cast_to_water_fast, project_from_water,
                                    project_from_water_fast};

void set_pose(RefractiveCamera& camera, const std::array<double, 9>& r, const std::array<double, 3>& t) {
  camera.rotation = r;
  camera.centre_m = {-(r[0] * t[0] + r[3] * t[1] + r[6] * t[2]), -(r[1] * t[0] + r[4] * t[1] + r[7] * t[2]),
                     -(r[2] * t[0] + r[5] * t[1] + r[8] * t[2])};
}

void set_water(RefractiveCamera& camera, double water_z_m, double n_air, double n_water) {
  camera.optics = &kLevelWaterRays;
  camera.water_z_m = water_z_m;
  camera.n_air = n_air;
  camera.n_water = n_water;
  camera.ratio = snell_ratio<double>(n_air, n_water);
}

void check(const RefractiveCamera& camera, const std::string& where) {
  if (camera.width_px < 1 || camera.height_px < 1)
    refuse_camera(where, "width_px, height_px", "must be at least 1");
  if (!(camera.fx_px > 0) || !(camera.fy_px > 0) || !std::isfinite(camera.fx_px) ||
      !std::isfinite(camera.fy_px))
    refuse_camera(where, "fx_px, fy_px", "must be positive and finite");
  if (!std::isfinite(camera.cx_px) || !std::isfinite(camera.cy_px))
    refuse_camera(where, "cx_px, cy_px", "must be finite");
  check_rotation(camera.rotation, where);
  for (const double value : camera.centre_m)
    if (!std::isfinite(value)) refuse_camera(where, "centre_m", "must be finite");
  if (camera.optics != &kLevelWaterRays) return;
  if (!std::isfinite(camera.water_z_m)) refuse_camera(where, "water_z_m", "must be finite");
  for (const double index : {camera.n_air, camera.n_water})
    if (!(index >= 0.5 && index <= 5)) refuse_camera(where, "n_air, n_water", "must be between 0.5 and 5");
  if (!(camera.centre_m[2] < camera.water_z_m)) refuse_camera(where, "centre_m", "must be above the water");
}

RefractiveCamera refractive_camera(const Camera& camera) {
  check(Rig{{camera}}, "rig");
  const Intrinsics& lens = camera.intrinsics;
  RefractiveCamera out;
  out.width_px = lens.width_px;
  out.height_px = lens.height_px;
  out.fx_px = lens.K(0, 0);
  out.fy_px = lens.K(1, 1);
  out.cx_px = lens.K(0, 2);
  out.cy_px = lens.K(1, 2);
  std::array<double, 9> rotation;
  std::array<double, 3> translation_m;
  for (int row = 0; row < 3; ++row) {
    for (int column = 0; column < 3; ++column)
      rotation[3 * row + column] = camera.camera_from_world.rotation(row, column);
    translation_m[row] = camera.camera_from_world.translation_m[row];
  }
  set_pose(out, rotation, translation_m);
  if (const WaterInterface* const water = level_water(camera))
    set_water(out, water->water_z_m, water->n_air, water->n_water);
  if (const Port* const port = std::get_if<Port>(&camera.interface)) set_port(out, *port);
  return out;
}

std::optional<Vec3> triangulate(std::span<const WaterRay> rays) {
  if (rays.size() < 2) return std::nullopt;
  const auto count = static_cast<double>(rays.size());
  // Relative to the mean origin, so that a distant world origin costs no digits in the normal equations.
  Vec3 anchor_m = Vec3::Zero();
  for (const WaterRay& ray : rays) anchor_m += to_vec3(ray.origin_m) / count;
  Mat3 normal_matrix = Mat3::Zero();
  Vec3 right_side = Vec3::Zero();
  for (const WaterRay& ray : rays) {
    const Vec3 direction = to_vec3(ray.direction);
    const Mat3 across = Mat3::Identity() - direction * direction.transpose();
    normal_matrix += across;
    right_side += across * (to_vec3(ray.origin_m) - anchor_m);
  }
  const Eigen::SelfAdjointEigenSolver<Mat3> eigen(normal_matrix);
  if (!(eigen.eigenvalues()[0] > 1e-12 * count)) return std::nullopt;
  const Vec3 offset_m = eigen.eigenvectors() *
                        (eigen.eigenvectors().transpose() * right_side).cwiseQuotient(eigen.eigenvalues());
  return anchor_m + offset_m;
}

}  // namespace aqbench
