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

}  // namespace aqbench
