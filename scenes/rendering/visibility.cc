#include "scenes/rendering/visibility.h"

#include <cmath>

#include "core/parallel.h"

namespace aqbench {
namespace {

// Counts for a mesh: all rays of a camera at once.
void count_on_mesh(const SeeingCamera& camera, const RayHitter& hitter, std::span<const Vec3> positions_m,
                   const VisibilityOptions& options, std::span<int> views) {
  std::vector<WaterRay> rays;
  std::vector<double> depths_m;
  std::vector<std::size_t> of;
  for (std::size_t i = 0; i < positions_m.size(); ++i) {
    const auto projection = seen_at(camera, positions_m[i], options.undistorted);
    if (!projection) continue;
    const auto ray = cast_ray(camera.camera, projection->pixel);
    if (!ray) continue;
    rays.push_back(*ray);
    depths_m.push_back(projection->depth_along_ray_m);
    of.push_back(i);
  }
  std::vector<FaceHit> hits(rays.size());
  hitter.first_faces(rays, hits);
  for (std::size_t k = 0; k < rays.size(); ++k)
    // A ray that slips between two faces by rounding has no hit.
    if (std::isnan(hits[k].depth_m) || hits[k].depth_m >= depths_m[k] - options.tolerance_m) ++views[of[k]];
}

bool sees(const SeeingCamera& camera, const RayHitter& hitter, const Vec3& position_m,
          const VisibilityOptions& options) {
  const auto projection = seen_at(camera, position_m, options.undistorted);
  if (!projection) return false;
  const auto ray = cast_ray(camera.camera, projection->pixel);
  if (!ray) return false;
  const auto hit_m = hitter.first_hit_m(*ray, projection->depth_along_ray_m);
  return hit_m && *hit_m >= projection->depth_along_ray_m - options.tolerance_m;
}

}  // namespace

std::vector<SeeingCamera> seeing_cameras(const Rig& rig, bool auxiliary_cameras) {
  std::vector<SeeingCamera> cameras;
  for (const Camera& camera : rig.cameras)
    if (auxiliary_cameras || !camera.is_auxiliary)
      cameras.push_back(
          {refractive_camera(camera), Undistorter(camera.intrinsics), camera.intrinsics, camera.mask});
  return cameras;
}

std::optional<Projection> seen_at(const SeeingCamera& camera, const Vec3& position_m, bool undistorted) {
  const auto projection = project(camera.camera, position_m);
  if (!projection || !camera.lens.takes(projection->pixel)) return std::nullopt;
  if (undistorted && !is_in_image(camera.camera, projection->pixel.x(), projection->pixel.y()))
    return std::nullopt;
  if (camera.mask && !camera.mask->at(distort_pixel(camera.intrinsics, projection->pixel)))
    return std::nullopt;
  return projection;
}

std::vector<int> count_views(const Surface& surface, const Rig& rig, std::span<const Vec3> positions_m,
                             const VisibilityOptions& options) {
  const std::vector<SeeingCamera> cameras = seeing_cameras(rig, options.auxiliary_cameras);
  const RayHitter hitter(surface);
  std::vector<int> views(positions_m.size(), 0);
  parallel_for(positions_m.size(), 1024, [&](std::size_t begin, std::size_t end) {
    if (hitter.is_mesh()) {
      for (const SeeingCamera& camera : cameras)
        count_on_mesh(camera, hitter, positions_m.subspan(begin, end - begin), options,
                      std::span(views).subspan(begin, end - begin));
      return;
    }
    for (std::size_t i = begin; i < end; ++i)
      for (const SeeingCamera& camera : cameras)
        if (sees(camera, hitter, positions_m[i], options)) ++views[i];
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
