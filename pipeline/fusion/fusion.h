#pragma once
// Joins the depth maps of several cameras to one cloud, and a cloud to a mesh.
//
// 1. The points of all cameras are gathered in voxels: a voxel's point (surfel) is their mean, weighted by
// confidence.
// 2. Depth noise spreads a surface over several layers of voxels. A mean within a voxel cannot undo that,
// because it has only the points of its own layer. So each voxel's point moves along the local normal to a
// quadratic surface, fitted robustly (Tukey's weights) to all points within `refine_radius_m`. A fit with
// slope and curvature has no bias at the edges of a surface or on a bend, unlike a local mean.
// 3. The points that are then in one voxel become one point. Steps 2 and 3 are done twice.
// 4. Normals are computed from the neighbours and turned towards the cameras; points far from all others are
// removed.

#include <Eigen/Core>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <ranges>
#include <span>
#include <utility>
#include <vector>

#include "core/stage_scope.h"
#include "pipeline/fusion/cloud_options.h"
#include "scenes/cloud/reconstruction.h"
#include "scenes/optics/refractive_camera.h"

namespace aqbench {

// The number of bits of each coordinate of a cell.
inline constexpr int kMortonBits = 21;

// A grid of cubic cells.
struct CellGrid {
  Vec3 origin_m = Vec3::Zero();  // of cell (0, 0, 0)
  double cell_m = 0;

  // Returns the number of a point's cell; points below the lowest cells get the nearest one.
  std::uint64_t key(const Vec3& point_m) const;
};

// Makes a grid that covers the box. Its origin is a multiple of the cell size, so a few more points do not
// move the cells. Throws Error(method) if the box is longer than 2^21 cells.
CellGrid make_cell_grid(const Vec3& low_m, const Vec3& high_m, double cell_m);

// An item and the number of its cell.
struct KeyedIndex {
  std::uint64_t key;
  std::uint64_t index;
};

// Sorts by key, then by index. Uses parallel_for. No two items are equal, so the result is the same for any
// thread count.
void sort_keys(std::vector<KeyedIndex>& items);

// Runs of sorted items that have the same key >> (3 * level).
struct MortonCells {
  int level = 0;
  std::vector<std::uint64_t> keys;   // of the occupied cells, ascending
  std::vector<std::uint32_t> first;  // items of cell c: first[c] to first[c + 1] - 1; one more than keys

  std::size_t count() const { return keys.size(); }
};

// Finds the runs. `keys` must ascend; at most 2^32 - 1 of them.
MortonCells make_cells(std::span<const std::uint64_t> keys, int level);

// Fills `runs` with the items [first, second) of the occupied cells that are `from` to `to` cells away from
// the cell of `key` (in the coordinate where they are farthest), in z, y, x order. `key` is at the cells'
// level; its cell may be empty.
void neighbour_runs(const MortonCells& cells, std::uint64_t key, int from, int to,
                    std::vector<std::pair<std::uint32_t, std::uint32_t>>& runs);

// Points seen by one camera, in the world frame, metres.
struct CameraPoints {
  Vec3 centre_m = Vec3::Zero();  // of the camera
  std::vector<Eigen::Vector3f> points_m;
  std::vector<float> confidence;  // empty (all are 1) or one per point
};

// The points of cameras by their numbers. They are asked for twice, so that only those of one are in memory.
struct CameraPointSource {
  std::size_t cameras = 0;
  std::function<CameraPoints(std::size_t)> points_of;
};

// Returns the points of a depth map of the camera's size. Without confidences every point has 1.
CameraPoints points_of_depth_map(const RefractiveCamera& camera, const DepthMap& map);

// Surfels as arrays of one length. Positions are relative to the grid's origin, so that single precision is
// finer than a micrometre over metres.
struct Surfels {
  CellGrid grid;
  std::vector<std::uint64_t> keys;
  std::vector<float> x_m, y_m, z_m;
  std::vector<float> weight;                    // sum of confidences, > 0
  std::vector<float> confidence;                // mean, weighted by itself
  std::vector<Eigen::Vector3f> towards_camera;  // mean of unit vectors to the cameras, not of unit length

  std::size_t count() const { return keys.size(); }
  void resize(std::size_t count);
};

// Makes one surfel for each voxel that holds usable points.
Surfels gather_voxels(const CameraPointSource& source, double voxel_m);

// Makes one surfel for each voxel from surfels that have moved.
Surfels regroup(const Surfels& moved);

// Makes one surfel for each cell of 2^level voxels a side.
Surfels coarsen(const Surfels& fine, int level);

// Estimates the spacing of points on a surface from how many share a cell; at least the voxel size.
double spacing_m(const Surfels& surfels);

// The neighbours of a query at the origin, in units of the radius: u and v tangential, h the height, k the
// weight (0 at the radius and in padded places).
struct LocalColumns {
  std::vector<float> u, v, h, k;
  std::size_t count = 0;      // number with positive weight, first in the columns
  std::vector<float> robust;  // scratch

  // Drops neighbours of weight 0, sets `count` and zero-pads the columns to whole lanes.
  void compact();
};

// The largest number of fits that fit_surfaces() takes; it costs as much for one.
inline constexpr std::size_t kFitsAtOnce = 8;

// Writes the heights of the fitted surfaces at their origins, in units of the radius. With fewer than 12
// neighbours a surface is a plane; with fewer than 6, or if they do not determine it, its height is NaN.
void fit_surfaces(std::span<LocalColumns> locals, std::span<float> heights);

// Moves `moved` along the local normals onto a smooth surface through `all` (often the same surfels; both
// must have the same voxel size): moving least squares with a quadratic surface in the frame of the local
// plane, and weights (1 - (r / radius)^2)^2 times Tukey's biweight of the residuals (Levin, "Mesh-independent
// surface interpolation", 2004). A surfel with fewer than six neighbours stays, and so does one that would
// move further than the radius. Only positions change, which invalidates the keys: call regroup() afterwards.
// Uses parallel_for; the result is the same for any thread count.
void refine_surfels(const Surfels& all, double radius_m, Surfels& moved);

// Fuses the points of all cameras. Ignores points that are not finite or whose confidence is not positive.
// The result is in voxel order. Its confidence is the self-weighted mean of the points' confidences; a normal
// is NaN if fewer than three or only collinear neighbours define it. An empty input gives an empty cloud.
// Radii grow with the spacing of points sparser than voxels. Uses parallel_for; the result is the same for
// any thread count. Opens no stage: the caller opens "fusion". Throws Error(method) if the points span more
// than 2^21 voxels.
PointCloud fuse(const CameraPointSource& cameras, const FusionOptions& options);

// Fuses depth maps of `views`, which have the maps' cameras by name. Opens the stage fusion. Throws like
// fuse().
template <class View>
PointCloud fuse_depth_maps(std::span<const View> views, std::span<const DepthMap> maps,
                           const FusionOptions& options) {
  const StageScope scope("fusion");
  const auto points_of = [&](std::size_t i) {
    return points_of_depth_map(std::ranges::find(views, maps[i].camera, &View::name)->camera, maps[i]);
  };
  return fuse({maps.size(), points_of}, options);
}

// Statistics of each point's neighbourhood.
struct NeighbourStatistics {
  std::vector<Eigen::Vector3f> normals;  // unit, towards the cameras; NaN where undefined
  std::vector<float> mean_distance_m;    // to the nearest outlier_neighbours others
};

// Computes the statistics. `scale_m` is the unit of the radii: the voxel or, if larger, the spacing of the
// points. The search ends about 16 scales away; farther and missing neighbours count as that far. Uses
// parallel_for.
NeighbourStatistics neighbour_statistics(const Surfels& surfels, const FusionOptions& options,
                                         double scale_m);

// Returns which points stay, by FusionOptions::outlier_neighbours and outlier_std. All stay if there are no
// more points than neighbours.
std::vector<bool> inliers(const std::vector<float>& mean_distance_m, const FusionOptions& options);

// Returns a mesh through the cloud, the same for any thread count; nullopt for SurfaceMethod::none. Ignores
// points that are not finite and, for poisson and ball pivoting, points without a normal. Triangles face
// along the normals; those of a heightfield face up, to -Z. Opens the stage surface_reconstruction. Throws
// Error(method) "surface_reconstruction: ..." with the method and the number of points if too few points
// remain or no triangle results.
std::optional<TriangleMesh> reconstruct_surface(const PointCloud& cloud, const SurfaceOptions& options);

// Moves the cloud and the mesh, to the world's own origin if a method had another one.
void move_points(const Vec3& by_m, Reconstruction& result);

}  // namespace aqbench
