#include "scenes/optics/refraction.h"

#include <cmath>

namespace aqbench {
namespace {

// The root of rho(t) = rho (snell.h) to rounding, from below.
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

}  // namespace

RefractiveCamera refractive_camera(const Camera& camera, const WaterInterface& water) {
  check(Rig{{camera}, water}, "rig");
  const Mat3& k = camera.intrinsics.K;
  return {k(0, 0),
          k(1, 1),
          k(0, 2),
          k(1, 2),
          camera.intrinsics.width_px,
          camera.intrinsics.height_px,
          camera.camera_from_world.rotation,
          camera_centre_m(camera.camera_from_world),
          water.water_z_m,
          water.n_air,
          water.n_water,
          snell_ratio<double>(water.n_air, water.n_water)};
}

std::optional<WaterRay> cast_ray(const RefractiveCamera& camera, const Vec2& pixel) {
  const Vec3 in_camera((pixel.x() - camera.cx_px) / camera.fx_px, (pixel.y() - camera.cy_px) / camera.fy_px,
                       1);
  const Vec3 in_air = (camera.camera_from_world_rotation.transpose() * in_camera).normalized();
  if (!(in_air.z() > 0)) return std::nullopt;
  const double height_m = camera.water_z_m - camera.centre_m.z();
  const Vec3 origin_m(camera.centre_m.x() + height_m * in_air.x() / in_air.z(),
                      camera.centre_m.y() + height_m * in_air.y() / in_air.z(), camera.water_z_m);
  if (camera.n_air == camera.n_water) return WaterRay{origin_m, in_air};
  const double eta = camera.n_air / camera.n_water;
  const double x = eta * in_air.x(), y = eta * in_air.y();
  const double z2 = 1 - x * x - y * y;
  if (!(z2 > 0)) return std::nullopt;
  return WaterRay{origin_m, Vec3(x, y, std::sqrt(z2)).normalized()};
}

std::optional<Projection> project(const RefractiveCamera& camera, const Vec3& point_m) {
  const Vec3 relative = point_m - camera.centre_m;
  const double h_air = camera.water_z_m - camera.centre_m.z();
  const double h_water = point_m.z() - camera.water_z_m;
  if (!(h_water > 0)) return std::nullopt;
  const double rho = std::sqrt(relative.x() * relative.x() + relative.y() * relative.y());
  const SnellRatio<double>& ratio = camera.ratio;
  double height = relative.z();
  double water_tangent = rho / height;
  if (camera.n_air != camera.n_water) {
    const double h_thin = ratio.air_is_thinner ? h_air : h_water;
    const double h_dense = ratio.air_is_thinner ? h_water : h_air;
    const double t = thin_tangent(ratio, rho, h_thin, h_dense);
    const double w = std::sqrt(1 + ratio.c * t * t);
    height = h_air + h_water * (ratio.air_is_thinner ? ratio.m / w : w / ratio.m);
    water_tangent = ratio.air_is_thinner ? ratio.m * t / w : t;
  }
  const Vec3 in_camera = camera.camera_from_world_rotation * Vec3(relative.x(), relative.y(), height);
  if (!(in_camera.z() > 0)) return std::nullopt;
  return Projection{Vec2(camera.cx_px + camera.fx_px * in_camera.x() / in_camera.z(),
                         camera.cy_px + camera.fy_px * in_camera.y() / in_camera.z()),
                    h_water * std::sqrt(1 + water_tangent * water_tangent)};
}

}  // namespace aqbench
