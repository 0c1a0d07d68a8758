#include "scenes/rendering/visibility.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/error.h"
#include "core/parallel.h"

namespace aqbench {
namespace {

// The height of the ray above the surface at a depth, and its change per metre along the ray.
struct Gap {
  double gap_m, rate;
};

Gap gap_at(const PatchHeightField& surface, const WaterRay& ray, double depth_m) {
  const auto& [x, y, z] = ray.origin_m;
  const auto& [dx, dy, dz] = ray.direction;
  const HeightJet jet = surface.jet(x + depth_m * dx, y + depth_m * dy);
  return {jet.z - (z + depth_m * dz), jet.fx * dx + jet.fy * dy - dz};
}

double horizontal(const WaterRay& ray) { return std::hypot(ray.direction[0], ray.direction[1]); }

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

bool casts_rays(const Surface& surface) {
  return dynamic_cast<const PatchHeightField*>(&surface) != nullptr ||
         dynamic_cast<const RayTarget*>(&surface) != nullptr;
}

RayHitter::RayHitter(const Surface& surface, double max_depth_m, double tolerance_m)
    : field_(dynamic_cast<const PatchHeightField*>(&surface)),
      mesh_(dynamic_cast<const RayTarget*>(&surface)),
      max_depth_m_(max_depth_m),
      tolerance_m_(tolerance_m) {
  if (field_ == nullptr && mesh_ == nullptr)
    throw Error(ErrorKind::usage, "surface: must be a formula or a mesh to cast rays at it");
  if (field_ != nullptr) bounds_ = field_->bounds();
  if (!(max_depth_m > 0) || !std::isfinite(max_depth_m))
    throw usage_error("max_depth_m: must be positive, got {}", max_depth_m);
}

// For a ray steeper than the surface the gap falls all along. The margin keeps the rate away from zero, so
// that Newton's steps stay reasonable.
bool RayHitter::meets_once(const WaterRay& ray) const {
  return ray.direction[2] > 1.02 * bounds_.slope * horizontal(ray) + 1e-6;
}

void RayHitter::first_faces(std::span<const WaterRay> rays, std::span<FaceHit> hits) const {
  std::vector<SurfaceRay> in_water;
  in_water.reserve(rays.size());
  for (const WaterRay& ray : rays) in_water.push_back({to_vec3(ray.origin_m), to_vec3(ray.direction)});
  mesh_->first_hits(in_water, hits);
  for (FaceHit& hit : hits)
    if (!(hit.depth_m > 0 && hit.depth_m <= max_depth_m_))
      hit.depth_m = std::numeric_limits<double>::quiet_NaN();
}

std::optional<double> RayHitter::first_hit_m(const WaterRay& ray) const {
  if (mesh_ != nullptr) {
    FaceHit hit;
    first_faces({&ray, 1}, {&hit, 1});
    return std::isnan(hit.depth_m) ? std::nullopt : std::optional(hit.depth_m);
  }
  if (!meets_once(ray)) return marched_hit_m(ray);
  const double middle_m = (bounds_.z_min_m + bounds_.z_max_m) / 2;
  return newton_hit_m(ray, std::isfinite(middle_m) ? (middle_m - ray.origin_m[2]) / ray.direction[2] : 0);
}

std::optional<double> RayHitter::first_hit_m(const WaterRay& ray, double guess_m) const {
  if (mesh_ != nullptr) return first_hit_m(ray);
  return meets_once(ray) ? newton_hit_m(ray, guess_m) : marched_hit_m(ray);
}

// The gap has one zero, so any zero found is the first. A bracket prevents cycles; it grows from the points
// seen, so an inclined plane needs no bounds.
std::optional<double> RayHitter::newton_hit_m(const WaterRay& ray, double guess_m) const {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  double above_m = -kInfinity, below_m = kInfinity;  // depths known to be above and below the surface
  double depth_m = guess_m;
  for (int i = 0; i < 100; ++i) {
    const Gap at = gap_at(*field_, ray, depth_m);
    (at.gap_m > 0 ? above_m : below_m) = depth_m;
    double next_m = depth_m - at.gap_m / at.rate;
    if (!(next_m >= above_m && next_m <= below_m)) next_m = (above_m + below_m) / 2;
    const double step_m = std::abs(next_m - depth_m);
    depth_m = next_m;
    // A step leaves an error of half the second derivative times step^2 over the rate at the zero. Requires
    // twice that, since the rate is from the start of the step.
    const double bend = bounds_.curvature * (1 - ray.direction[2] * ray.direction[2]);
    if (step_m <= 1e-13 || bend * step_m * step_m <= tolerance_m_ * std::abs(at.rate)) break;
  }
  if (!(depth_m > 0 && depth_m <= max_depth_m_)) return std::nullopt;
  return depth_m;
}

// Steps that cannot pass a zero of the gap, since the surface's curvature M bounds its second derivative: the
// gap stays positive up to the zero of g + g' t - M t^2 / 2. Near a crossing this is Newton's step, from
// above; near a tangent point it still covers a constant share of the way.
std::optional<double> RayHitter::marched_hit_m(const WaterRay& ray) const {
  const double z_per_m = ray.direction[2], across = horizontal(ray);
  const double bend = bounds_.curvature * across * across;
  const double fastest = z_per_m + bounds_.slope * across;
  if (!(fastest > 0)) return std::nullopt;
  const bool goes_down = z_per_m > 0;
  double depth_m = goes_down && std::isfinite(bounds_.z_min_m)
                       ? std::max(0.0, (bounds_.z_min_m - ray.origin_m[2]) / z_per_m)
                       : 0.0;
  if (gap_at(*field_, ray, 0).gap_m <= 0) return std::nullopt;
  double last_m = max_depth_m_;
  if (goes_down && std::isfinite(bounds_.z_max_m))
    last_m = std::min(last_m, (bounds_.z_max_m - ray.origin_m[2]) / z_per_m + 1e-9);
  while (depth_m <= last_m) {
    const Gap at = gap_at(*field_, ray, depth_m);
    if (at.gap_m <= 0) return depth_m;
    double step_m = at.gap_m / fastest;
    const double root = -at.rate + std::sqrt(at.rate * at.rate + 2 * bend * at.gap_m);
    if (root > 0) step_m = std::max(step_m, 2 * at.gap_m / root);
    depth_m += step_m;
    if (step_m <= 1e-12) return depth_m;
  }
  return std::nullopt;
}

const PatchHeightField& renderable_surface(const Surface& surface, const std::string& scene) {
  const auto* field = dynamic_cast<const PatchHeightField*>(&surface);
  if (field == nullptr) throw usage_error("scene '{}': must be a surface by formula, not a mesh", scene);
  return *field;
}

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
