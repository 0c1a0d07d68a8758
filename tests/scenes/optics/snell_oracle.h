#pragma once
// Independent solutions of the refraction problem in long double, from the camera's matrices and the
// definition alone: nothing here is shared with scenes/optics/snell.h.

#include <cmath>
#include <optional>

#include "scenes/optics/camera.h"

namespace aqbench::optics_testing {

// Where the ray from a camera h_air above the surface to a point h_water below it, rho apart, crosses the
// surface, measured from the camera's foot: bisection on n_air sin(air) - n_water sin(water), which grows
// with r.
inline long double crossing_by_bisection(long double rho, long double h_air, long double h_water,
                                         long double n_air, long double n_water) {
  long double low = 0, high = rho;
  for (int i = 0; i < 200; ++i) {
    const long double r = (low + high) / 2;
    const long double excess =
        n_air * r / std::hypot(r, h_air) - n_water * (rho - r) / std::hypot(rho - r, h_water);
    (excess < 0 ? low : high) = r;
  }
  return (low + high) / 2;
}

// The same by Fermat's principle: golden section search for the shortest optical path.
inline long double crossing_by_fermat(long double rho, long double h_air, long double h_water,
                                      long double n_air, long double n_water) {
  const auto path = [&](long double r) {
    return n_air * std::hypot(r, h_air) + n_water * std::hypot(rho - r, h_water);
  };
  const long double golden = (std::sqrt(5.0L) - 1) / 2;
  long double low = 0, high = rho;
  for (int i = 0; i < 120; ++i) {
    const long double a = high - golden * (high - low), b = low + golden * (high - low);
    (path(a) < path(b) ? high : low) = path(a) < path(b) ? b : a;
  }
  return (low + high) / 2;
}

// The pixel at which a camera sees a point of the surface or of the air: a plain pinhole.
inline std::optional<Vec2> pinhole_pixel(const Camera& camera, const Vec3& point_m) {
  const Vec3 p = camera.camera_from_world.rotation * point_m + camera.camera_from_world.translation_m;
  if (!(p.z() > 0)) return std::nullopt;
  const Mat3& k = camera.intrinsics.K;
  return Vec2(k(0, 0) * p.x() / p.z() + k(0, 2), k(1, 1) * p.y() / p.z() + k(1, 2));
}

// The pixel of a point under water: that of the place where its ray crosses the surface.
template <class Crossing>
std::optional<Vec2> refracted_pixel(const Camera& camera, const WaterInterface& water, const Vec3& point_m,
                                    Crossing&& crossing) {
  const Vec3 centre = camera_centre_m(camera.camera_from_world);
  const long double dx = static_cast<long double>(point_m.x()) - centre.x();
  const long double dy = static_cast<long double>(point_m.y()) - centre.y();
  const long double rho = std::hypot(dx, dy);
  const long double r =
      crossing(rho, static_cast<long double>(water.water_z_m) - centre.z(),
               static_cast<long double>(point_m.z()) - water.water_z_m, water.n_air, water.n_water);
  const long double share = rho > 0 ? r / rho : 0;
  return pinhole_pixel(camera, Vec3(static_cast<double>(centre.x() + share * dx),
                                    static_cast<double>(centre.y() + share * dy), water.water_z_m));
}

}  // namespace aqbench::optics_testing
