#pragma once
// The rig `orbit` about the scene `object`, and how much of what its cameras see well a cloud covers.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <tuple>
#include <vector>

#include "scenes/cloud/npy.h"
#include "scenes/dataset/dataset.h"
#include "scenes/optics/refractive_camera.h"
#include "scenes/rendering/visibility.h"
#include "scenes/surfaces/surface.h"
#include "tests/temporary_directory.h"

namespace aqbench::orbit_testing {

// The dataset on disk with its truth.
struct OrbitScene {
  std::filesystem::path dir;
  DatasetPlan plan;
  double footprint_m = 0;  // of a pixel on the object, at its middle

  const Surface& surface() const { return *plan.scene.truth.surface; }
};

// Images 400 px wide; rendered once for all tests.
inline const OrbitScene& orbit() {
  static const TemporaryDirectory folder;
  static const OrbitScene scene = [] {
    DatasetRequest request;
    request.scene = "object";
    request.rig = "orbit";
    request.width_px = 400;
    OrbitScene orbit{folder.path() / "data", plan_dataset(request)};
    write_dataset(orbit.plan, orbit.dir);
    orbit.footprint_m = 0.8 / orbit.plan.rig.cameras[0].intrinsics.K(0, 0);
    return orbit;
  }();
  return scene;
}

// The share of a surface that a cloud covers to two footprints, in percent.
struct Coverage {
  double whole_pct = 0, well_seen_pct = 0;
  double well_seen_share_pct = 0;  // of the surface
};

// 1 where the true depths of a camera have an edge within `half_px`: the end of the object, or neighbouring
// pixels farther apart than a surface turned by 80 degrees puts them.
inline std::vector<std::uint8_t> near_depth_edges(const std::vector<float>& depth_m, int width, int height,
                                                  int half_px, double footprint_m) {
  std::vector<std::uint8_t> near(depth_m.size(), 0);
  const auto at = [&](int x, int y) { return depth_m[static_cast<std::size_t>(y * width + x)]; };
  const auto is_edge = [&](float a, float b) {
    return std::isnan(a) != std::isnan(b) || std::abs(a - b) > 5.7 * footprint_m;
  };
  for (int y = 0; y + 1 < height; ++y)
    for (int x = 0; x + 1 < width; ++x) {
      if (!is_edge(at(x, y), at(x + 1, y)) && !is_edge(at(x, y), at(x, y + 1))) continue;
      for (int v = std::max(0, y - half_px); v <= std::min(height - 1, y + half_px); ++v)
        for (int u = std::max(0, x - half_px); u <= std::min(width - 1, x + half_px); ++u)
          near[static_cast<std::size_t>(v * width + u)] = 1;
    }
  return near;
}

// Counts for each place the cameras that see it at less than 60 degrees to its normal, farther than half_px
// from depth edges.
inline std::vector<int> good_views(const OrbitScene& scene, std::span<const ClosestPoint> places,
                                   int half_px) {
  std::vector<int> views(places.size(), 0);
  const RayHitter hitter(scene.surface());
  for (const Camera& camera : scene.plan.rig.cameras) {
    const RefractiveCamera view = refractive_camera(camera);
    const auto depth_m =
        std::get<std::vector<float>>(read_npy(scene.dir / "truth" / camera.name / "depth.npy").values);
    const auto near = near_depth_edges(depth_m, view.width_px, view.height_px, half_px, scene.footprint_m);
    for (std::size_t i = 0; i < places.size(); ++i) {
      const Vec3& place = places[i].position_m;
      const Vec3 towards = (to_vec3(view.centre_m) - place).normalized();
      const auto seen = project(view, place);
      if (!(towards.dot(places[i].normal) > 0.5) || !seen ||
          !is_in_image(view, seen->pixel.x(), seen->pixel.y()))
        continue;
      const auto pixel = static_cast<std::size_t>(std::lround(seen->pixel.y()) * view.width_px +
                                                  std::lround(seen->pixel.x()));
      const auto ray = cast_ray(view, seen->pixel);
      const auto hit_m = ray ? hitter.first_hit_m(*ray) : std::nullopt;
      if (near[pixel] == 0 && hit_m && *hit_m > seen->depth_along_ray_m - 1e-4) ++views[i];
    }
  }
  return views;
}

// Whether a point of the cloud lies within `reach_m` of each place.
inline std::vector<bool> covered(std::span<const Vec3> points_m, std::span<const ClosestPoint> places,
                                 double reach_m) {
  std::map<std::tuple<int, int, int>, std::vector<Vec3>> cells;
  const auto cell = [&](const Vec3& p, int axis) { return static_cast<int>(std::floor(p[axis] / reach_m)); };
  for (const Vec3& p : points_m) cells[{cell(p, 0), cell(p, 1), cell(p, 2)}].push_back(p);
  std::vector<bool> is_covered(places.size(), false);
  for (std::size_t i = 0; i < places.size(); ++i) {
    const Vec3& place = places[i].position_m;
    for (int k = 0; k < 27 && !is_covered[i]; ++k) {
      const auto found = cells.find(
          {cell(place, 0) + k % 3 - 1, cell(place, 1) + k / 3 % 3 - 1, cell(place, 2) + k / 9 - 1});
      if (found == cells.end()) continue;
      is_covered[i] = std::ranges::any_of(
          found->second, [&](const Vec3& point) { return (point - place).norm() <= reach_m; });
    }
  }
  return is_covered;
}

inline Coverage coverage_of(const OrbitScene& scene, std::span<const Vec3> points_m, int half_px) {
  const SurfaceSamples samples = scene.surface().stratified_samples(0.003, 1);
  std::vector<ClosestPoint> places(samples.positions_m.size());
  scene.surface().closest_points(samples.positions_m, places);
  const std::vector<int> views = good_views(scene, places, half_px);
  const std::vector<bool> is_covered = covered(points_m, places, 2 * scene.footprint_m);
  double whole = 0, good = 0, good_covered = 0;
  for (std::size_t i = 0; i < places.size(); ++i) {
    whole += is_covered[i] ? 1 : 0;
    if (views[i] < 2) continue;
    ++good;
    good_covered += is_covered[i] ? 1 : 0;
  }
  const auto count = static_cast<double>(places.size());
  return {100 * whole / count, 100 * good_covered / good, 100 * good / count};
}

// Root mean square distance of the points to the surface.
inline double rmse_m(const OrbitScene& scene, std::span<const Vec3> points_m) {
  std::vector<double> distances_m(points_m.size());
  scene.surface().signed_distances(points_m, distances_m);
  double sum = 0;
  for (const double distance_m : distances_m) sum += distance_m * distance_m;
  return std::sqrt(sum / static_cast<double>(points_m.size()));
}

}  // namespace aqbench::orbit_testing
