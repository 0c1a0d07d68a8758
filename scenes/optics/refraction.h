#pragma once
// Rays and projections of a camera in air that looks into water through a flat surface: exact, in double
// precision, one at a time. Pixels are those of the undistorted camera (scenes/optics/distortion.h). Many at
// once in float: refraction_batch.h; whole images over a range of depths: sweep_projector.h.

#include <optional>

#include "scenes/optics/camera.h"
#include "scenes/optics/snell.h"

namespace aqbench {

// A camera and its water, prepared. Plain data; make it with refractive_camera().
struct RefractiveCamera {
  double fx_px, fy_px, cx_px, cy_px;
  int width_px, height_px;
  Mat3 camera_from_world_rotation;
  Vec3 centre_m;     // world frame
  double water_z_m;  // > centre_m.z()
  double n_air, n_water;
  SnellRatio<double> ratio;
};

// Throws Error(input) naming camera and field; the camera must be above the water.
RefractiveCamera refractive_camera(const Camera& camera, const WaterInterface& water);

// What a pixel sees: origin on the water surface (z is water_z_m to the bit), unit direction in the water.
struct WaterRay {
  Vec3 origin_m;
  Vec3 direction;
};

inline Vec3 point_on_ray(const WaterRay& ray, double depth_along_ray_m) {
  return ray.origin_m + depth_along_ray_m * ray.direction;
}

// nullopt if the pixel's ray does not go down to the water or is totally reflected there.
std::optional<WaterRay> cast_ray(const RefractiveCamera& camera, const Vec2& pixel);

struct Projection {
  Vec2 pixel;                // may lie outside the image
  double depth_along_ray_m;  // from the water surface along the refracted ray: what a depth map holds
};

// nullopt if the point (world frame) is not below the water surface or is not imaged in front of the camera.
// Works for any index ratio: a point below the water is always reached by exactly one ray (Fermat: the
// optical path is a strictly convex function of where it crosses the surface).
std::optional<Projection> project(const RefractiveCamera& camera, const Vec3& point_m);

}  // namespace aqbench
