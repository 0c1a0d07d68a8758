#pragma once
// The refracted rays of a camera row by row, and points on them.

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "scenes/optics/refractive_camera.h"

namespace aqbench::dense_flow {

// The rays of one row's pixels (or any others): world frame. NaN for pixels
// without a ray.
struct RayRow {
  std::vector<float> origin_x_m, origin_y_m, origin_z_m;
  std::vector<float> direction_x, direction_y, direction_z;

  explicit RayRow(std::size_t count);
  // Casts the rays of the pixels (u_px[i], v_px[i]) into `row`, whose size must match.
  void cast(const RefractiveCamera& camera, std::span<const float> u_px, std::span<const float> v_px);
};

// Points on a row of rays, world frame.
struct PointRow {
  std::vector<float> x_m, y_m, z_m;

  explicit PointRow(std::size_t count) : x_m(count), y_m(count), z_m(count) {}
  // Places each point at its depth along its ray.
  void place(const RayRow& rays, std::span<const float> depth_m);
};

// Calls `body` once for each row of the camera's image. Uses parallel_for.
void for_each_ray_row(const RefractiveCamera& camera,
                      const std::function<void(std::size_t row, const RayRow& rays)>& body);

}  // namespace aqbench::dense_flow
