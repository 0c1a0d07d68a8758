#pragma once
// The refractive camera for many pixels or points at once: structure of arrays, one thread, vectorised.
// Callers split the work. In float for matching and fusion: the error against double precision is below
// 1e-3 px inside the image, for coordinates within 2 m and f = 1500 px (measured in
// tests/scenes/optics/refraction_batch_test.cc). In double for the plane sweep, whose polynomials need it.
// Water deeper than ten times the camera's height above it costs accuracy for grazing rays (snell.h).

#include <cstddef>
#include <span>
#include <vector>

#include "scenes/optics/refractive_camera.h"

namespace aqbench {

// Points of the world frame, metres. All spans of one call have one length; outputs do not overlap inputs.
struct PointSpans {
  std::span<const float> x_m, y_m, z_m;
};

// Pixels of the points; NaN where project() finds none.
struct PixelSpans {
  std::span<float> u_px, v_px;
  std::span<float> depth_along_ray_m;  // empty: not wanted
};

// Rays of the pixels (WaterRay); NaN where cast_ray() finds none.
struct RaySpans {
  std::span<float> origin_x_m, origin_y_m, origin_z_m;
  std::span<float> direction_x, direction_y, direction_z;
};

// Projects points in float. Throws Error(usage) if the lengths differ.
void project_points(const RefractiveCamera& camera, const PointSpans& points, const PixelSpans& out);

// Casts the rays of pixels in float. Throws Error(usage) if the lengths differ.
void cast_rays(const RefractiveCamera& camera, std::span<const float> u_px, std::span<const float> v_px,
               const RaySpans& out);

// World points in metres and their pixels in double precision, one array a coordinate, all of one length.
struct PointBatch {
  std::vector<double> x_m, y_m, z_m;
  std::vector<double> u_px, v_px;   // out; NaN where project_fast() returns false
  std::vector<double> ray_depth_m;  // out: along the ray from its origin; NaN likewise

  // Sets the length of every array.
  void resize(std::size_t size);
  // Returns the number of points.
  std::size_t size() const { return x_m.size(); }
  // Sets a point to that at a depth along a ray.
  void set(std::size_t index, const WaterRay& ray, double depth_along_ray_m) {
    x_m[index] = ray.origin_m[0] + depth_along_ray_m * ray.direction[0];
    y_m[index] = ray.origin_m[1] + depth_along_ray_m * ray.direction[1];
    z_m[index] = ray.origin_m[2] + depth_along_ray_m * ray.direction[2];
  }
};

// Projects points in double precision: the pixels of project_fast() to 1e-8 px.
void project_points(const RefractiveCamera& camera, PointBatch& points);

}  // namespace aqbench
