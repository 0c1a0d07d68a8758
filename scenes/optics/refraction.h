#pragma once
// The refractive camera for code that works with Eigen's vectors: one ray or point at a time, exact to
// rounding (refractive_camera.h). Pixels are those of the undistorted camera (scenes/optics/distortion.h).

#include <optional>

#include "scenes/optics/camera.h"
#include "scenes/optics/refractive_camera.h"

namespace aqbench {

// Returns the camera without its lens distortion, with its interface. Throws Error(input) as check(Rig) does.
RefractiveCamera refractive_camera(const Camera& camera);

// Returns three numbers as a vector of Eigen's.
inline Vec3 to_vec3(const std::array<double, 3>& numbers) { return {numbers[0], numbers[1], numbers[2]}; }

// Returns the point (world frame) that lies `depth_along_ray_m` from the ray's origin.
inline Vec3 point_on_ray(const WaterRay& ray, double depth_along_ray_m) {
  return to_vec3(ray.origin_m) + depth_along_ray_m * to_vec3(ray.direction);
}

// Casts the ray of a pixel. Returns nullopt if it misses the water or is totally reflected there.
inline std::optional<WaterRay> cast_ray(const RefractiveCamera& camera, const Vec2& pixel) {
  WaterRay ray;
  if (!cast_ray(camera, pixel.x(), pixel.y(), ray)) return std::nullopt;
  return ray;
}

// Where a camera sees a point.
struct Projection {
  Vec2 pixel;                // may lie outside the image
  double depth_along_ray_m;  // from the ray's origin: what a depth map holds
};

// Projects a point (world frame). Returns nullopt if it is above the water or is not imaged in front of the
// camera.
inline std::optional<Projection> project(const RefractiveCamera& camera, const Vec3& point_m) {
  double u_px = 0, v_px = 0, depth_m = 0;
  if (!project(camera, {point_m.x(), point_m.y(), point_m.z()}, u_px, v_px, depth_m)) return std::nullopt;
  return Projection{Vec2(u_px, v_px), depth_m};
}

}  // namespace aqbench
