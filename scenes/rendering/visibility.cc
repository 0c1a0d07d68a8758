#include "scenes/rendering/visibility.h"

#include <cmath>

#include "core/parallel.h"

namespace aqbench {
namespace {

// Counts for a mesh: all rays of a camera at once.
void count_on_mesh(const RefractiveCamera& camera, const RayHitter& hitter, std::span<const Vec3> positions_m,
                   double tolerance_m, std::span<int> views) {
  std::vector<WaterRay> rays;
  std::vector<double> depths_m;
  std::vector<std::size_t> of;
  for (std::size_t i = 0; i < positions_m.size(); ++i) {
    const auto projection = project(camera, positions_m[i]);
    if (!projection || !is_in_image(camera, projection->pixel.x(), projection->pixel.y())) continue;
    const auto ray = cast_ray(camera, projection->pixel);
    if (!ray) continue;
    rays.push_back(*ray);
    depths_m.push_back(projection->depth_along_ray_m);
    of.push_back(i);
  }
  std::vector<FaceHit> hits(rays.size());
  hitter.first_faces(rays, hits);
  for (std::size_t k = 0; k < rays.size(); ++k)
    // A ray that slips between two faces by rounding has no hit.
    if (std::isnan(hits[k].depth_m) || hits[k].depth_m >= depths_m[k] - tolerance_m) ++views[of[k]];
}

bool sees(const RefractiveCamera& camera, const RayHitter& hitter, const Vec3& position_m,
          double tolerance_m) {
  const auto projection = project(camera, position_m);
  if (!projection || !is_in_image(camera, projection->pixel.x(), projection->pixel.y())) return false;
  const auto ray = cast_ray(camera, projection->pixel);
  if (!ray) return false;
  const auto hit_m = hitter.first_hit_m(*ray, projection->depth_along_ray_m);
  return hit_m && *hit_m >= projection->depth_along_ray_m - tolerance_m;
}

}  // namespace

std::vector<int> count_views(const Surface& surface, const Rig& rig, std::span<const Vec3> positions_m,
                             const VisibilityOptions& options) {
  std::vector<RefractiveCamera> cameras;
  for (const Camera& camera : rig.cameras)
    if (options.auxiliary_cameras || !camera.is_auxiliary)
      cameras.push_back(refractive_camera(camera, rig.water));
  const RayHitter hitter(surface);
  std::vector<int> views(positions_m.size(), 0);
  parallel_for(positions_m.size(), 1024, [&](std::size_t begin, std::size_t end) {
    if (hitter.is_mesh()) {
      for (const RefractiveCamera& camera : cameras)
        count_on_mesh(camera, hitter, positions_m.subspan(begin, end - begin), options.tolerance_m,
                      std::span(views).subspan(begin, end - begin));
      return;
    }
    for (std::size_t i = begin; i < end; ++i)
      for (const RefractiveCamera& camera : cameras)
        if (sees(camera, hitter, positions_m[i], options.tolerance_m)) ++views[i];
  });
  return views;
}

std::function<std::vector<int>(std::span<const Vec3>)> view_counter(const Scene& scene, const Rig& rig) {
  const std::shared_ptr<const Surface> surface = scene.truth.surface;
  if (!surface || !casts_rays(*surface)) return {};
  return
      [surface, rig](std::span<const Vec3> positions_m) { return count_views(*surface, rig, positions_m); };
}

}  // namespace aqbench
