#include "scenes/rendering/visibility.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/error.h"
#include "core/multiversion.h"
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

// Rays side by side, and the places where they are on their way to the surface.
struct RayLanes {
  alignas(64) double origin_x[kRayLanes], origin_y[kRayLanes], origin_z[kRayLanes];
  alignas(64) double dx[kRayLanes], dy[kRayLanes], dz[kRayLanes];
  alignas(64) double depth_m[kRayLanes];
  alignas(64) double above_m[kRayLanes];  // the deepest place known to be above the surface
  alignas(64) double below_m[kRayLanes];  // the highest one known to be below it
  alignas(64) double open[kRayLanes];     // 0 once the ray is at the surface
  alignas(64) double x_m[kRayLanes], y_m[kRayLanes], z_m[kRayLanes], fx[kRayLanes], fy[kRayLanes];
};

// Sets the places of open rays; those of the others are NaN.
AQBENCH_MULTIVERSION void place_rays(RayLanes& n) {
  for (std::size_t i = 0; i < kRayLanes; ++i) {
    const double x = n.origin_x[i] + n.depth_m[i] * n.dx[i], y = n.origin_y[i] + n.depth_m[i] * n.dy[i];
    n.x_m[i] = n.open[i] != 0 ? x : std::numeric_limits<double>::quiet_NaN();
    n.y_m[i] = y;
  }
}

// Makes a Newton step of every open ray, within the bracket, which prevents cycles; it grows from the points
// seen, so an inclined plane needs no bounds. Returns whether a ray is still open.
AQBENCH_MULTIVERSION bool step_rays(double curvature, double tolerance_m, RayLanes& n) {
  double open = 0;
  for (std::size_t i = 0; i < kRayLanes; ++i) {
    const double depth_m = n.depth_m[i];
    const double gap_m = n.z_m[i] - (n.origin_z[i] + depth_m * n.dz[i]);
    const double rate = n.fx[i] * n.dx[i] + n.fy[i] * n.dy[i] - n.dz[i];
    const double above_m = gap_m > 0 ? depth_m : n.above_m[i], below_m = gap_m > 0 ? n.below_m[i] : depth_m;
    const double newton_m = depth_m - gap_m / rate;
    const double next_m = newton_m >= above_m && newton_m <= below_m ? newton_m : (above_m + below_m) / 2;
    const double step_m = std::abs(next_m - depth_m);
    // A step leaves an error of half the second derivative times step^2 over the rate at the zero. Requires
    // twice that, since the rate is from the start of the step.
    const double bend = curvature * (1 - n.dz[i] * n.dz[i]);
    const bool solved = step_m <= 1e-13 || bend * step_m * step_m <= tolerance_m * std::abs(rate);
    n.above_m[i] = above_m;
    n.below_m[i] = below_m;
    n.depth_m[i] = n.open[i] != 0 ? next_m : depth_m;
    n.open[i] = solved ? 0 : n.open[i];
    open += n.open[i];
  }
  return open != 0;
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
  const auto& [dx, dy, dz] = ray.direction;
  return dz > 1.02 * bounds_.slope * std::sqrt(dx * dx + dy * dy) + 1e-6;
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
  return first_hit_m(ray, std::numeric_limits<double>::quiet_NaN());
}

std::optional<double> RayHitter::first_hit_m(const WaterRay& ray, double guess_m) const {
  first_hits_m({&ray, 1}, {&guess_m, 1});
  return std::isnan(guess_m) ? std::nullopt : std::optional(guess_m);
}

void RayHitter::first_hits_m(std::span<const WaterRay> rays, std::span<double> depths_m) const {
  if (mesh_ != nullptr) {
    std::vector<FaceHit> hits(rays.size());
    first_faces(rays, hits);
    std::ranges::transform(hits, depths_m.begin(), &FaceHit::depth_m);
    return;
  }
  for (std::size_t first = 0; first < rays.size(); first += kRayLanes) {
    const std::size_t count = std::min(kRayLanes, rays.size() - first);
    newton_hits_m(rays.subspan(first, count), depths_m.subspan(first, count));
  }
}

// The gap of a ray that meets the surface once has one zero, so any zero found is the first.
void RayHitter::newton_hits_m(std::span<const WaterRay> rays, std::span<double> depths_m) const {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const double middle_m = (bounds_.z_min_m + bounds_.z_max_m) / 2;
  RayLanes n = {};
  bool open = false;
  for (std::size_t i = 0; i < rays.size(); ++i) {
    const WaterRay& ray = rays[i];
    n.origin_x[i] = ray.origin_m[0], n.origin_y[i] = ray.origin_m[1], n.origin_z[i] = ray.origin_m[2];
    n.dx[i] = ray.direction[0], n.dy[i] = ray.direction[1], n.dz[i] = ray.direction[2];
    if (!meets_once(ray)) {
      n.depth_m[i] = marched_hit_m(ray).value_or(std::numeric_limits<double>::quiet_NaN());
      continue;
    }
    const double start_m = std::isfinite(middle_m) ? (middle_m - ray.origin_m[2]) / ray.direction[2] : 0;
    n.depth_m[i] = std::isnan(depths_m[i]) ? start_m : depths_m[i];
    n.above_m[i] = -kInfinity, n.below_m[i] = kInfinity;
    n.open[i] = 1;
    open = true;
  }
  for (int step = 0; step < 100 && open; ++step) {
    place_rays(n);
    field_->slopes(n.x_m, n.y_m, kRayLanes, n.z_m, n.fx, n.fy);
    open = step_rays(bounds_.curvature, tolerance_m_, n);
  }
  for (std::size_t i = 0; i < rays.size(); ++i)
    depths_m[i] = n.depth_m[i] > 0 && n.depth_m[i] <= max_depth_m_ ? n.depth_m[i]
                                                                   : std::numeric_limits<double>::quiet_NaN();
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
    std::vector<WaterRay> rays;
    std::vector<double> depths_m, hits_m;
    std::vector<std::size_t> of;
    for (const SeeingCamera& camera : cameras) {
      rays.clear(), depths_m.clear(), of.clear();
      for (std::size_t i = begin; i < end; ++i) {
        const auto projection = seen_at(camera, positions_m[i], options.undistorted);
        const auto ray = projection ? cast_ray(camera.camera, projection->pixel) : std::nullopt;
        if (!ray) continue;
        rays.push_back(*ray);
        depths_m.push_back(projection->depth_along_ray_m);
        of.push_back(i);
      }
      hits_m = depths_m;
      hitter.first_hits_m(rays, hits_m);
      for (std::size_t k = 0; k < rays.size(); ++k) {
        // A ray that slips between two faces by rounding has no hit.
        const bool sees =
            std::isnan(hits_m[k]) ? hitter.is_mesh() : hits_m[k] >= depths_m[k] - options.tolerance_m;
        views[of[k]] += sees ? 1 : 0;
      }
    }
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
