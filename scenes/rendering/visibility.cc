#include "scenes/rendering/visibility.h"

#include "core/parallel.h"

namespace aqbench {
namespace {

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

std::vector<int> count_views(const PatchHeightField& surface, const Rig& rig,
                             std::span<const Vec3> positions_m, const VisibilityOptions& options) {
  std::vector<RefractiveCamera> cameras;
  for (const Camera& camera : rig.cameras)
    if (options.auxiliary_cameras || !camera.is_auxiliary)
      cameras.push_back(refractive_camera(camera, rig.water));
  const RayHitter hitter(surface);
  std::vector<int> views(positions_m.size(), 0);
  parallel_for(positions_m.size(), 1024, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      for (const RefractiveCamera& camera : cameras)
        if (sees(camera, hitter, positions_m[i], options.tolerance_m)) ++views[i];
  });
  return views;
}

std::function<std::vector<int>(std::span<const Vec3>)> view_counter(const Scene& scene, const Rig& rig) {
  const auto surface = std::dynamic_pointer_cast<const PatchHeightField>(scene.truth.surface);
  if (!surface) return {};
  return
      [surface, rig](std::span<const Vec3> positions_m) { return count_views(*surface, rig, positions_m); };
}

}  // namespace aqbench
