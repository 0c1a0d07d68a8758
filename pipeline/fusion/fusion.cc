#include "pipeline/fusion/fusion.h"

#include <algorithm>
#include <cmath>

#include "core/error.h"
#include "core/parallel.h"
#include "pipeline/fusion/cloud_filter.h"
#include "pipeline/fusion/surfel_refinement.h"
#include "pipeline/fusion/surfels.h"
#include "scenes/optics/refraction_batch.h"

namespace aqbench {
namespace {

void require_option(bool good, const char* field, const char* wanted, double value) {
  if (!good)
    throw Error(ErrorKind::usage,
                std::string(field) + ": must be " + wanted + ", got " + std::to_string(value));
}

PointCloud cloud_of(const Surfels& surfels, const NeighbourStatistics& statistics,
                    const std::vector<bool>& stays) {
  PointCloud cloud;
  for (std::size_t i = 0; i < surfels.count(); ++i) {
    if (!stays[i]) continue;
    cloud.points_m.push_back(surfels.grid.origin_m + Vec3(surfels.x_m[i], surfels.y_m[i], surfels.z_m[i]));
    cloud.normals.push_back(statistics.normals[i].cast<double>().normalized());
    cloud.confidence.push_back(std::min(surfels.confidence[i], 1.0F));
  }
  return cloud;
}

}  // namespace

void check(const FusionOptions& options) {
  const auto finite = [](double value) { return std::isfinite(value); };
  require_option(options.voxel_m > 0 && finite(options.voxel_m), "voxel_m", "positive", options.voxel_m);
  require_option(options.refine_radius_m >= 0 && finite(options.refine_radius_m), "refine_radius_m",
                 "0 or more", options.refine_radius_m);
  require_option(options.normal_radius_voxels > 0 && finite(options.normal_radius_voxels),
                 "normal_radius_voxels", "positive", options.normal_radius_voxels);
  require_option(options.normal_neighbours >= 3, "normal_neighbours", "at least 3",
                 options.normal_neighbours);
  require_option(options.outlier_neighbours >= 0, "outlier_neighbours", "0 or more",
                 options.outlier_neighbours);
  require_option(options.outlier_std > 0 && finite(options.outlier_std), "outlier_std", "positive",
                 options.outlier_std);
}

PointCloud fuse(std::span<const CameraPoints> cameras, const FusionOptions& options, FusionCounts* counts) {
  check(options);
  for (std::size_t i = 0; i < cameras.size(); ++i)
    if (!cameras[i].confidence.empty() && cameras[i].confidence.size() != cameras[i].points_m.size())
      throw Error(ErrorKind::input, "fusion: camera " + std::to_string(i) + " has " +
                                        std::to_string(cameras[i].points_m.size()) + " points and " +
                                        std::to_string(cameras[i].confidence.size()) + " confidences");
  FusionCounts counted;
  Surfels surfels = gather_voxels(cameras, options.voxel_m, &counted.input);
  counted.voxels = surfels.count();
  if (options.refine_radius_m > 0 && surfels.count() > 0) {
    // Twice: a point far from the surface sees a part of its neighbours only, those within the radius.
    const Surfels all = surfels;
    const double radius_m = std::max(options.refine_radius_m, 3 * spacing_m(all));
    for (int pass = 0; pass < 2; ++pass) {
      refine_surfels(all, radius_m, surfels);
      surfels = regroup(surfels);
    }
  }
  counted.fused = surfels.count();
  PointCloud cloud;
  if (surfels.count() > 0) {
    const NeighbourStatistics statistics = neighbour_statistics(surfels, options, spacing_m(surfels));
    cloud = cloud_of(surfels, statistics, inliers(statistics.mean_distance_m, options));
  }
  counted.outliers = counted.fused - cloud.points_m.size();
  if (counts != nullptr) *counts = counted;
  return cloud;
}

CameraPoints points_of_depth_map(const RefractiveCamera& camera, const DepthMap& map) {
  const auto width = static_cast<std::size_t>(camera.width_px),
             height = static_cast<std::size_t>(camera.height_px);
  if (map.width != camera.width_px || map.height != camera.height_px ||
      map.depth_along_ray_m.size() != width * height ||
      !(map.confidence.empty() || map.confidence.size() == width * height))
    throw Error(ErrorKind::input, "depth map of camera '" + map.camera + "': its size is not the camera's");
  std::vector<CameraPoints> rows(height);
  parallel_for(height, 8, [&](std::size_t begin, std::size_t end) {
    std::vector<float> u(width), v(width), ox(width), oy(width), dx(width), dy(width), dz(width);
    for (std::size_t x = 0; x < width; ++x) u[x] = static_cast<float>(x);
    for (std::size_t y = begin; y < end; ++y) {
      std::ranges::fill(v, static_cast<float>(y));
      cast_rays(camera, u, v, {ox, oy, dx, dy, dz});
      for (std::size_t x = 0; x < width; ++x) {
        const std::size_t at = y * width + x;
        const float depth = map.depth_along_ray_m[at];
        if (!std::isfinite(depth) || !std::isfinite(dz[x])) continue;
        rows[y].points_m.emplace_back(ox[x] + depth * dx[x], oy[x] + depth * dy[x],
                                      static_cast<float>(camera.water_z_m) + depth * dz[x]);
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
