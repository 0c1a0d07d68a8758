#pragma once
// An undistorted camera in air that looks down through the flat water surface z = water_z_m, as plain
// numbers: the kernels build without Eigen. World frame: metres, +Z down into the water. Pixel centres at
// integers.

#include <array>
#include <string>

namespace aqbench::plane_sweep {

struct FlatWaterCamera {
  int width_px = 0;
  int height_px = 0;
  double fx_px = 0, fy_px = 0, cx_px = 0, cy_px = 0;
  // x_in_camera = rotation * x_in_world + translation_m; row-major 3 x 3.
  std::array<double, 9> rotation{1, 0, 0, 0, 1, 0, 0, 0, 1};
  std::array<double, 3> translation_m{0, 0, 0};
  double water_z_m = 0;
  double n_air = 1;
  double n_water = 1.333;
};

// A ray under water: origin on the surface, unit direction. The point at ray depth d is origin + d *
// direction.
struct WaterRay {
  std::array<double, 3> origin_m{};
  std::array<double, 3> direction{};
};

// Throws Error(input) "WHERE.field: what is wrong" for sizes or focal lengths that are not positive, numbers
// that are not finite, a matrix that is no rotation (1e-5), a camera that is not above the water.
void check(const FlatWaterCamera& camera, const std::string& where);

std::array<double, 3> centre_m(const FlatWaterCamera& camera);

// False where the ray of that pixel never enters the water (upwards, level, or totally reflected).
bool cast_ray(const FlatWaterCamera& camera, double u_px, double v_px, WaterRay& ray);

// The exact projection by Snell's law (scenes/optics/snell.h; 3e-9 of the focal length at worst). False where
// the point is not below the water or the ray leaves it behind the camera; it may lie outside the image.
bool project(const FlatWaterCamera& camera, const std::array<double, 3>& point_m, double& u_px, double& v_px);

}  // namespace aqbench::plane_sweep
