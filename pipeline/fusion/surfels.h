#pragma once
// Weighted points of occupied voxels, in the order of their keys: what fusion works on.

#include <cstdint>
#include <span>
#include <vector>

#include "pipeline/fusion/camera_points.h"
#include "pipeline/fusion/morton_cells.h"

namespace aqbench {

// Arrays of one length; positions relative to the grid's origin, so that single precision is below a
// micrometre over metres.
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

// One surfel for each voxel that holds usable points. `usable`, if given, receives their number.
Surfels gather_voxels(std::span<const CameraPoints> cameras, double voxel_m, std::size_t* usable);

// The same of surfels that have moved: regrouped by where they are now.
Surfels regroup(const Surfels& moved);

// One surfel for each cell of voxels (voxel size times 2^level).
Surfels coarsen(const Surfels& fine, int level);

// Distance between neighbouring points on a surface, from how many share a cell; never below the voxel size.
double spacing_m(const Surfels& surfels);

}  // namespace aqbench
