#include "pipeline/fusion/fusion.h"

#include <algorithm>

#include "core/error.h"
#include "pipeline/fusion/cloud_filter.h"
#include "pipeline/fusion/surfels.h"

namespace aqbench {
namespace {

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
    // Runs twice: a point far from the surface sees only neighbours within the radius.
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

}  // namespace aqbench
