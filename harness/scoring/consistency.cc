#include "harness/scoring/consistency.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "core/error.h"
#include "core/parallel.h"
#include "metrics/numbers/order_statistics.h"
#include "metrics/registry.h"
#include "scenes/optics/refractive_camera.h"

namespace aqbench {
namespace {

constexpr int kEveryPixel = 8;
constexpr double kAgrees_px = 1;

struct MapCamera {
  const DepthMap* map;
  RefractiveCamera camera;
};

std::vector<MapCamera> map_cameras(std::span<const DepthMap> maps, const Rig& rig) {
  std::vector<MapCamera> views;
  for (const DepthMap& map : maps) {
    const Camera* const camera = find_camera(rig, map.camera);
    if (camera == nullptr) throw method_error("depth map of '{}': there is no such camera", map.camera);
    if (map.width != camera->intrinsics.width_px || map.height != camera->intrinsics.height_px)
      throw method_error("depth map of {}: {} x {} px where its camera has {} x {}", map.camera, map.width,
                         map.height, camera->intrinsics.width_px, camera->intrinsics.height_px);
    views.push_back({&map, refractive_camera(*camera)});
  }
  return views;
}

// The point that a map gives at a pixel.
std::optional<Vec3> point_of(const MapCamera& view, int x, int y) {
  const float depth_m =
      view.map->depth_along_ray_m[static_cast<std::size_t>(y) * static_cast<std::size_t>(view.map->width) +
                                  static_cast<std::size_t>(x)];
  if (!has_depth(depth_m)) return std::nullopt;
  const auto ray = cast_ray(view.camera, Vec2(x, y));
  return ray ? std::optional(point_on_ray(*ray, depth_m)) : std::nullopt;
}

// How far from its pixel a point comes back by way of the other camera's depth; nullopt where that has none.
std::optional<double> there_and_back_px(const MapCamera& view, const MapCamera& other, const Vec2& pixel,
                                        const Vec3& point_m) {
  const auto there = project(other.camera, point_m);
  if (!there) return std::nullopt;
  const auto depth_m = interpolated_depth_m(*other.map, there->pixel);
  const auto ray = cast_ray(other.camera, there->pixel);
  if (!depth_m || !ray) return std::nullopt;
  const auto back = project(view.camera, point_on_ray(*ray, *depth_m));
  return back ? std::optional((back->pixel - pixel).norm()) : std::nullopt;
}

}  // namespace

std::optional<double> interpolated_depth_m(const DepthMap& map, const Vec2& pixel) {
  const double x = std::floor(pixel.x()), y = std::floor(pixel.y());
  if (!(x >= 0 && y >= 0 && x + 1 < map.width && y + 1 < map.height)) return std::nullopt;
  const double u = pixel.x() - x, v = pixel.y() - y;
  const std::size_t first =
      static_cast<std::size_t>(y) * static_cast<std::size_t>(map.width) + static_cast<std::size_t>(x);
  const float* const row = map.depth_along_ray_m.data() + first;
  const float* const below = row + map.width;
  for (const float depth_m : {row[0], row[1], below[0], below[1]})
    if (!has_depth(depth_m)) return std::nullopt;
  return (1 - v) * ((1 - u) * double{row[0]} + u * double{row[1]}) +
         v * ((1 - u) * double{below[0]} + u * double{below[1]});
}

MetricSet measure_consistency(std::span<const DepthMap> maps, const Rig& rig) {
  const std::vector<MapCamera> views = map_cameras(maps, rig);
  std::vector<double> errors_px;
  for (const MapCamera& view : views) {
    const auto rows = static_cast<std::size_t>((view.map->height + kEveryPixel - 1) / kEveryPixel);
    std::vector<std::vector<double>> of_rows(rows);
    parallel_for(rows, 4, [&](std::size_t begin, std::size_t end) {
      for (std::size_t row = begin; row < end; ++row)
        for (int x = 0; x < view.map->width; x += kEveryPixel) {
          const int y = static_cast<int>(row) * kEveryPixel;
          const auto point_m = point_of(view, x, y);
          if (!point_m) continue;
          for (const MapCamera& other : views)
            if (&other != &view)
              if (const auto error_px = there_and_back_px(view, other, Vec2(x, y), *point_m))
                of_rows[row].push_back(*error_px);
        }
    });
    for (const auto& of_row : of_rows) errors_px.insert(errors_px.end(), of_row.begin(), of_row.end());
  }
  MetricWriter writer;
  if (errors_px.empty()) {
    const char* const reason =
        maps.empty() ? kNoDepthMaps : "no two depth maps have a depth of the same place";
    writer.add_rest_undefined(ScoreFamily::reprojection, reason);
    return writer.take();
  }
  const auto within = std::ranges::count_if(errors_px, [](double px) { return px <= kAgrees_px; });
  writer.add("reprojection_within_1px_pct",
             100 * static_cast<double>(within) / static_cast<double>(errors_px.size()));
  writer.add("reprojection_median_px", median_in_place(errors_px));
  return writer.take();
}

}  // namespace aqbench
