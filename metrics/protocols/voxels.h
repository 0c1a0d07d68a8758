#pragma once
// Points grouped by the voxels of a regular grid.

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "scenes/cloud/reconstruction.h"

namespace aqbench {

// Points by voxel: voxel v holds points order[first[v]] to order[first[v + 1] - 1]. The order of voxels, and
// of the points in each, depends on their coordinates alone.
struct VoxelGroups {
  std::vector<std::uint32_t> order;
  std::vector<std::size_t> first;  // one more than voxels
};

// Groups finite points by floor((p - origin) / size) along each axis. Throws Error(input) beyond 2^32 - 1
// points, or where a point lies more than 2^53 voxels away.
VoxelGroups group_by_voxel(std::span<const Vec3> points_m, double size_m, const Vec3& origin_m);

// Groups by floor(p / size + shift) along each axis, the grid of ETH3D; with `single` all in 32 bits.
VoxelGroups group_by_shifted_voxel(std::span<const Vec3> points_m, double size_m, double shift, bool single);

// Points sorted by voxels of one size: those near a place are found without looking at all.
class VoxelIndex {
 public:
  // Sorts finite points; throws as group_by_voxel() does.
  VoxelIndex(std::span<const Vec3> points_m, double size_m);

  // Calls visit(index of a point) for every point in the voxel of `place_m` and in the 26 around it: all
  // points within the voxels' size are among them.
  void for_each_near(const Vec3& place_m, const std::function<void(std::uint32_t)>& visit) const;

 private:
  using Voxel = std::array<std::int64_t, 3>;
  double size_m_;
  std::vector<std::pair<Voxel, std::uint32_t>> sorted_;
};

// Returns one point for each voxel, the mean of its points; the grid starts half a voxel below the least
// coordinates, as in Open3D's voxel_down_sample (open3d/geometry/PointCloud.cpp). Normals are the means,
// scaled to unit length; confidences are left out.
PointCloud voxel_means(const PointCloud& cloud, double size_m);

// Looks at the points in a random order and keeps each that is not within `radius_m` (inclusive) of one kept
// before. The order follows from the seed and the coordinates, not from the order given. Points must be
// finite.
std::vector<Vec3> thin_points(std::vector<Vec3> points_m, double radius_m, std::uint64_t seed);

}  // namespace aqbench
