#include "pipeline/fusion/camera_points.h"

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "core/parallel.h"
#include "scenes/optics/refraction_batch.h"

namespace aqbench {

CameraPoints points_of_depth_map(const RefractiveCamera& camera, const DepthMap& map) {
  const auto width = static_cast<std::size_t>(camera.width_px),
             height = static_cast<std::size_t>(camera.height_px);
  if (map.width != camera.width_px || map.height != camera.height_px ||
      map.depth_along_ray_m.size() != width * height ||
      !(map.confidence.empty() || map.confidence.size() == width * height))
    throw Error(ErrorKind::input,
                "depth map of camera '" + map.camera + "': its size differs from the camera's");
  std::vector<CameraPoints> rows(height);
  parallel_for(height, 8, [&](std::size_t begin, std::size_t end) {
    std::vector<float> u(width), v(width), ox(width), oy(width), oz(width), dx(width), dy(width), dz(width);
    for (std::size_t x = 0; x < width; ++x) u[x] = static_cast<float>(x);
    for (std::size_t y = begin; y < end; ++y) {
      std::ranges::fill(v, static_cast<float>(y));
      cast_rays(camera, u, v, {ox, oy, oz, dx, dy, dz});
      for (std::size_t x = 0; x < width; ++x) {
        const std::size_t at = y * width + x;
        const float depth = map.depth_along_ray_m[at];
        if (!has_depth(depth) || !std::isfinite(dz[x])) continue;
        rows[y].points_m.emplace_back(ox[x] + depth * dx[x], oy[x] + depth * dy[x], oz[x] + depth * dz[x]);
        rows[y].confidence.push_back(map.confidence.empty() ? 1.0F : map.confidence[at]);
      }
    }
  });
  CameraPoints points;
  points.centre_m = to_vec3(camera.centre_m);
  for (const CameraPoints& row : rows) {
    points.points_m.insert(points.points_m.end(), row.points_m.begin(), row.points_m.end());
    points.confidence.insert(points.confidence.end(), row.confidence.begin(), row.confidence.end());
  }
  return points;
}

}  // namespace aqbench
