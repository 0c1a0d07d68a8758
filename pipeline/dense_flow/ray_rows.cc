#include "pipeline/dense_flow/ray_rows.h"

#include <algorithm>

#include "core/parallel.h"
#include "scenes/optics/refraction_batch.h"

namespace aqbench::dense_flow {

RayRow::RayRow(std::size_t count)
    : origin_x_m(count),
      origin_y_m(count),
      origin_z_m(count),
      direction_x(count),
      direction_y(count),
      direction_z(count) {}

void RayRow::cast(const RefractiveCamera& camera, std::span<const float> u_px, std::span<const float> v_px) {
  cast_rays(camera, u_px, v_px, {origin_x_m, origin_y_m, origin_z_m, direction_x, direction_y, direction_z});
}

void PointRow::place(const RayRow& rays, std::span<const float> depth_m) {
  for (std::size_t i = 0; i < depth_m.size(); ++i) {
    x_m[i] = rays.origin_x_m[i] + depth_m[i] * rays.direction_x[i];
    y_m[i] = rays.origin_y_m[i] + depth_m[i] * rays.direction_y[i];
    z_m[i] = rays.origin_z_m[i] + depth_m[i] * rays.direction_z[i];
  }
}

void for_each_ray_row(const RefractiveCamera& camera,
                      const std::function<void(std::size_t row, const RayRow& rays)>& body) {
  const auto width = static_cast<std::size_t>(camera.width_px);
  parallel_for(static_cast<std::size_t>(camera.height_px), 8, [&](std::size_t begin, std::size_t end) {
    std::vector<float> u(width), v(width);
    for (std::size_t x = 0; x < width; ++x) u[x] = static_cast<float>(x);
    RayRow rays(width);
    for (std::size_t row = begin; row < end; ++row) {
      std::ranges::fill(v, static_cast<float>(row));
      rays.cast(camera, u, v);
      body(row, rays);
    }
  });
}

}  // namespace aqbench::dense_flow
