#pragma once
// Points grouped by the voxels of a regular grid.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "scenes/cloud/reconstruction.h"

namespace aqbench {

// Points by voxel: voxel v holds points order[first[v]] to order[first[v + 1] - 1]. The order of voxels, and
// of the points in each, depends on their coordinates alone.
struct VoxelGroups {
  std::vector<std::uint32_t> order;
  std::vector<std::size_t> first;  // one more than voxels
};

// Groups finite points by floor(p / size + shift) along each axis, the grid of ETH3D; with `single` all in 32
// bits. Throws Error(input) beyond 2^32 - 1 points, or where a point lies more than 2^53 voxels away.
VoxelGroups group_by_shifted_voxel(std::span<const Vec3> points_m, double size_m, double shift, bool single);

// Returns one point for each voxel, the mean of its points; the grid starts half a voxel below the least
// coordinates, as in Open3D's voxel_down_sample (open3d/geometry/PointCloud.cpp). Throws as
// group_by_shifted_voxel() does.
std::vector<Vec3> voxel_means(std::span<const Vec3> points_m, double size_m);

// Looks at the points in a random order and keeps each that is not within `radius_m` (inclusive) of one kept
// before. The order follows from the seed and the coordinates, not from the order given. Points must be
// finite.
std::vector<Vec3> thin_points(std::vector<Vec3> points_m, double radius_m, std::uint64_t seed);

}  // namespace aqbench
