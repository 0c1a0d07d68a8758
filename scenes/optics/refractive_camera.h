#pragma once
// The camera used by every kernel: an undistorted camera, either without an interface or in air above the
// flat water surface z = water_z_m. Plain numbers, without Eigen. World frame: metres, +Z down into the
// water. Camera frame: x right, y down, z forward. Pixels are those of the undistorted camera
// (scenes/optics/distortion.h), their centres at integers.
//
// One ray or point at a time, with Eigen's vectors: refraction.h. Many at once: refraction_batch.h. A whole
// image at many depths: projection_table.h.

#include <array>
#include <optional>
#include <span>
#include <string>

#include "scenes/optics/camera.h"
#include "scenes/optics/snell.h"

namespace aqbench {

struct RayOptics;

// Without an interface: rays start at the camera's centre.
extern const RayOptics kStraightRays;
// Through level water: rays start on its surface.
extern const RayOptics kLevelWaterRays;
// Through the port of a housing, a flat pane or a dome (port.cc): rays start on the outside of its glass.
extern const RayOptics kFlatPortRays;
extern const RayOptics kDomePortRays;

// A camera and its interface, prepared for projection. set_pose() and set_water() keep the fields that
// depend on each other consistent; without set_water() there is no interface.
struct RefractiveCamera {
  int width_px = 0;
  int height_px = 0;
  double fx_px = 0, fy_px = 0, cx_px = 0, cy_px = 0;
  std::array<double, 9> rotation{1, 0, 0, 0, 1, 0, 0, 0, 1};  // camera_from_world, row-major
  std::array<double, 3> centre_m{};                           // world frame
  const RayOptics* optics = &kStraightRays;                   // chosen once, with the interface
  double water_z_m = 0;                                       // > centre_m[2]; these four: level water only
  double n_air = 1;
  double n_water = 1.333;
  SnellRatio<double> ratio = snell_ratio<double>(1, 1.333);  // of n_air and n_water
  Port port = {};                                            // ports only
};

// Returns whether rays go through level water. Without it cameras may look anywhere.
inline bool looks_through_level_water(const RefractiveCamera& camera) {
  return camera.optics == &kLevelWaterRays;
}

// Returns whether the pixel lies in the camera's image: between the centres of its corner pixels.
inline bool is_in_image(const RefractiveCamera& camera, double x_px, double y_px) {
  return x_px >= 0 && y_px >= 0 && x_px <= camera.width_px - 1 && y_px <= camera.height_px - 1;
}

// The ray of a pixel: origin on the water surface, or at the camera's centre where there is no interface;
// unit direction; world frame. The point at ray depth d is origin_m + d * direction.
struct WaterRay {
  std::array<double, 3> origin_m{};
  std::array<double, 3> direction{};
};

// The formulas of one kind of interface, as the functions below document them.
struct RayOptics {
  bool (*cast)(const RefractiveCamera& camera, double u_px, double v_px, WaterRay& ray);
  bool (*cast_fast)(const RefractiveCamera& camera, double u_px, double v_px, WaterRay& ray);
  bool (*project)(const RefractiveCamera& camera, const std::array<double, 3>& point_m, double& u_px,
                  double& v_px, double& depth_along_ray_m);
  bool (*project_fast)(const RefractiveCamera& camera, const std::array<double, 3>& point_m, double& u_px,
                       double& v_px);
};

// Sets rotation and centre from x_in_camera = rotation * x_in_world + translation_m (rotation row-major).
void set_pose(RefractiveCamera& camera, const std::array<double, 9>& rotation,
              const std::array<double, 3>& translation_m);

// Makes the camera look through level water with these two indices of refraction.
void set_water(RefractiveCamera& camera, double water_z_m, double n_air, double n_water);

// Makes the camera look through a port.
void set_port(RefractiveCamera& camera, const Port& port);

// Throws Error(input) "WHERE.field: problem" for sizes or focal lengths that are not positive, numbers that
// are not finite, a matrix that is not a rotation (1e-5), a camera that is not above its level water.
void check(const RefractiveCamera& camera, const std::string& where);

// Each of the two directions, from pixel to ray and from point to pixel, has two formulas, which agree to
// rounding. The exact ones serve rendering, metrics and triangulation, the fast ones the plane sweep. They
// are kept apart because stored baselines and datasets hold the last bits of both.

// Casts the ray of a pixel, exact to rounding. Returns false where the ray does not go down to the water or
// is totally reflected there.
inline bool cast_ray(const RefractiveCamera& camera, double u_px, double v_px, WaterRay& ray) {
  return camera.optics->cast(camera, u_px, v_px, ray);
}

// Does the same as cast_ray() by the fast formula, which has one scaling for both media.
inline bool cast_ray_fast(const RefractiveCamera& camera, double u_px, double v_px, WaterRay& ray) {
  return camera.optics->cast_fast(camera, u_px, v_px, ray);
}

// Projects a point (world frame), exact to rounding: runs Newton's iteration to a standstill. The pixel may
// lie outside the image; the depth is along the ray from its origin. Returns false if the point is not below
// the water surface or is not imaged in front of the camera. Works for any index ratio:
// exactly one ray reaches a point below the water (Fermat: the optical path is a strictly convex function of
// where it crosses the surface).
inline bool project(const RefractiveCamera& camera, const std::array<double, 3>& point_m, double& u_px,
                    double& v_px, double& depth_along_ray_m) {
  return camera.optics->project(camera, point_m, u_px, v_px, depth_along_ray_m);
}

// Does the same as project() in a fixed number of Newton steps (snell.h; 3e-9 of the focal length at worst),
// without the depth. Also returns false for a pixel that is not finite.
inline bool project_fast(const RefractiveCamera& camera, const std::array<double, 3>& point_m, double& u_px,
                         double& v_px) {
  return camera.optics->project_fast(camera, point_m, u_px, v_px);
}

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

// Finds the point (world frame) that minimises the sum of squared distances to the rays' lines. Returns
// nullopt for fewer than two rays, or rays too parallel to determine a point (smallest singular value of
// sum(I - d d') below 1e-12 of the number of rays: an angle of about 1e-6 rad between two).
std::optional<Vec3> triangulate(std::span<const WaterRay> rays);

}  // namespace aqbench
