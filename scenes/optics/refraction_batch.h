#pragma once
// cast_ray() and project() of refraction.h for many pixels and points at once: float, structure of arrays,
// one thread, vectorised. Callers split the work. Error against double precision, coordinates within 2 m and
// f = 1500 px: below 1e-3 px inside the image, measured in tests/scenes/optics/refraction_batch_test.cc.
// Water deeper than ten times the camera's height above it costs accuracy for grazing rays (snell.h).

#include <span>

#include "scenes/optics/refraction.h"

namespace aqbench {

// World frame, metres. All spans of one call have one length; outputs do not overlap inputs.
struct PointSpans {
  std::span<const float> x_m, y_m, z_m;
};

struct PixelSpans {
  std::span<float> u_px, v_px;
  std::span<float> depth_along_ray_m;  // may be empty: not wanted
};

struct RaySpans {
  std::span<float> origin_x_m, origin_y_m;  // z is the camera's water_z_m
  std::span<float> direction_x, direction_y, direction_z;
};

// NaN in every output where project() gives nullopt. Throws Error(usage) if the lengths differ.
void project_points(const RefractiveCamera& camera, const PointSpans& points, const PixelSpans& out);

// NaN in every output where cast_ray() gives nullopt. Throws Error(usage) if the lengths differ.
void cast_rays(const RefractiveCamera& camera, std::span<const float> u_px, std::span<const float> v_px,
               const RaySpans& out);

}  // namespace aqbench
