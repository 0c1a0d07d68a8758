#include "scenes/dataset/depth_scan.h"

#include <utility>

#include "core/error.h"
#include "scenes/optics/refractive_camera.h"

namespace aqbench {

Scan scan_of_depths(const DepthMap& depths, const Camera& camera, std::string file) {
  Scan scan;
  scan.file = std::move(file);
  const RefractiveCamera view = refractive_camera(camera);
  std::size_t pixel = 0;
  for (int y = 0; y < depths.height; ++y) {
    for (int x = 0; x < depths.width; ++x) {
      const double depth_m = depths.depth_along_ray_m[pixel++];
      if (!has_depth(depth_m)) continue;
      if (const auto ray = cast_ray(view, Vec2(x, y)))
        scan.cloud.points_m.push_back(point_on_ray(*ray, depth_m));
    }
  }
  if (scan.cloud.points_m.empty()) throw Error(ErrorKind::input, scan.file + ": contains no depth");
  return scan;
}

}  // namespace aqbench
