#pragma once
// The exact projection of many points at once.

#include <cstddef>
#include <vector>

#include "pipeline/plane_sweep/kernels/flat_water_camera.h"

namespace aqbench::plane_sweep {

// World points in metres and their pixels, one array a coordinate, all of one length.
struct PointBatch {
  std::vector<double> x_m, y_m, z_m;
  std::vector<double> u_px, v_px;  // out; NaN where project() returns false
  // Out: depth of the point along the camera's refracted ray to it, metres from the water surface; NaN
  // likewise.
  std::vector<double> ray_depth_m;

  void resize(std::size_t size);
  std::size_t size() const { return x_m.size(); }
};

// project() of every point, vectorised: the same pixels to 1e-8 px. Single-threaded.
void project_points(const FlatWaterCamera& camera, PointBatch& points);

}  // namespace aqbench::plane_sweep
