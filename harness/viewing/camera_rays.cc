#include "harness/viewing/camera_rays.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/quantiles.h"
#include "scenes/optics/distortion.h"
#include "scenes/optics/refractive_camera.h"

namespace aqbench {
namespace {

constexpr double kStep_m = kViewStep_mm / 1000;
constexpr std::size_t kAskedPoints = 2000;

// Distances from a camera's centre, in front of the scene and behind it, so that the steps of the grid turn
// no ray.
struct SceneRange {
  double near_m = 0.5, far_m = 1.5;
};

// A few points far off do not count.
SceneRange scene_range(const CloudView& view, const Vec3& centre_steps) {
  std::vector<double> distances_m;
  for (const std::vector<GridPoint>* const points : {&view.points, &view.holes})
    for (std::size_t i = 0; i < points->size(); i += stride_for(points->size(), kAskedPoints)) {
      const auto& [x, y, z] = (*points)[i];
      distances_m.push_back(kStep_m * (Vec3(x, y, z) - centre_steps).norm());
    }
  if (distances_m.empty()) return {};
  std::ranges::sort(distances_m);
  return {0.5 * quantile_of_sorted(distances_m, 0.02), 1.5 * quantile_of_sorted(distances_m, 0.98)};
}

// Returns where the ray leaves the sphere of this radius about the camera's centre, along the ray; nullopt
// where it begins outside: water is that far away there, and the scene is not.
std::optional<double> leaves_sphere_m(const WaterRay& ray, const Vec3& centre_m, double radius_m) {
  const Vec3 from_centre_m = to_vec3(ray.origin_m) - centre_m;
  const double along_m = from_centre_m.dot(to_vec3(ray.direction));
  const double inside = radius_m * radius_m - from_centre_m.squaredNorm();
  if (!(inside > 0)) return std::nullopt;
  return std::sqrt(along_m * along_m + inside) - along_m;
}

// Rounds to the view's grid; nullopt for what its numbers cannot hold.
std::optional<GridPoint> on_grid(const Vec3& steps) {
  if (!(steps.cwiseAbs().maxCoeff() < 1 << 30)) return std::nullopt;
  const auto rounded = [&](int axis) { return static_cast<std::int32_t>(std::lround(steps[axis])); };
  return GridPoint{rounded(0), rounded(1), rounded(2)};
}

Json add_rays_of(const Camera& camera, const Vec3& origin_m, CloudView& view) {
  const Undistorter lens(camera.intrinsics);
  const RefractiveCamera optics = refractive_camera(camera);
  const int width = camera.intrinsics.width_px, height = camera.intrinsics.height_px;
  const Vec3 centre_m = camera_centre_m(camera.camera_from_world), centre = (centre_m - origin_m) / kStep_m;
  const SceneRange range = scene_range(view, centre);
  std::vector<GridPoint> far;
  Json missing = Json::array();
  for (int node = 0; node < kRayColumns * kRayRows; ++node) {
    const Vec2 pixel((width - 1.0) * (node % kRayColumns) / (kRayColumns - 1),
                     (height - 1.0) * (node / kRayColumns) / (kRayRows - 1));
    const std::optional<Vec2> straight = lens.undistort_pixel(pixel);
    const auto ray = straight ? cast_ray(optics, *straight) : std::nullopt;
    const auto last_m = ray ? leaves_sphere_m(*ray, centre_m, range.far_m) : std::nullopt;
    const auto end = [&](double before_m) {
      return last_m ? on_grid((point_on_ray(*ray, *last_m - before_m) - origin_m) / kStep_m) : std::nullopt;
    };
    const auto near_end = end(range.far_m - range.near_m), far_end = end(0);

    const bool is_there = near_end && far_end;
    if (!is_there) missing.push_back(node);
    // A missing one repeats the one before it, which takes the fewest bytes.
    view.rays.push_back(is_there ? *near_end : view.rays.empty() ? GridPoint{} : view.rays.back());
    far.push_back(is_there ? *far_end : far.empty() ? GridPoint{} : far.back());
  }
  view.rays.insert(view.rays.end(), far.begin(), far.end());
  const auto mm = [&](int axis) { return std::round(100 * kViewStep_mm * centre[axis]) / 100 + 0.0; };
  Json json = {{"name", camera.name},
               {"centre_mm", {mm(0), mm(1), mm(2)}},
               {"size_px", {width, height}},
               {"nodes", {kRayColumns, kRayRows}}};
  if (!missing.empty()) json["missing"] = std::move(missing);
  return json;
}

}  // namespace

Json add_camera_rays(const Rig& rig, CloudView& view) {
  const Vec3 origin_m = to_vec3(view.origin_mm) / 1000;
  Json cameras = Json::array();
  for (const Camera& camera : rig.cameras) cameras.push_back(add_rays_of(camera, origin_m, view));
  return cameras;
}

}  // namespace aqbench
