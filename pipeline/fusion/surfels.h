#pragma once
// Surfels: weighted points of occupied voxels, sorted by key; the working data of fusion.

#include <cstdint>
#include <span>
#include <vector>

#include "pipeline/fusion/camera_points.h"
#include "pipeline/fusion/morton_cells.h"

namespace aqbench {

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

// Makes one surfel for each voxel that holds usable points. `usable`, if not null, receives the number of
// usable points.
Surfels gather_voxels(std::span<const CameraPoints> cameras, double voxel_m, std::size_t* usable);

// Makes one surfel for each voxel from surfels that have moved.
Surfels regroup(const Surfels& moved);

// Makes one surfel for each cell of 2^level voxels a side.
Surfels coarsen(const Surfels& fine, int level);

// Estimates the spacing of points on a surface from how many share a cell; at least the voxel size.
double spacing_m(const Surfels& surfels);

// Moves `moved` along the local normals onto a smooth surface through `all` (often the same surfels; both
// must have the same voxel size): moving least squares with a quadratic surface in the frame of the local
// plane, and weights (1 - (r / radius)^2)^2 times Tukey's biweight of the residuals (Levin, "Mesh-independent
// surface interpolation", 2004). A surfel with fewer than six neighbours stays, and so does one that would
// move further than the radius. Only positions change, which invalidates the keys: call regroup() afterwards.
// Uses parallel_for; the result is the same for any thread count.
void refine_surfels(const Surfels& all, double radius_m, Surfels& moved);

}  // namespace aqbench
