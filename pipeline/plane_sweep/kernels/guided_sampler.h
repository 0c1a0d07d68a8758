#pragma once
// The samples of a tile in one source around a depth map: every pixel has sixteen depths of its own, so that
// windows follow the surface.

#include <span>
#include <vector>

#include "pipeline/plane_sweep/kernels/flat_water_camera.h"
#include "pipeline/plane_sweep/kernels/project_points.h"
#include "pipeline/plane_sweep/kernels/sampler.h"

namespace aqbench::plane_sweep {

class GuidedSampler final : public RowSampler {
 public:
  // guide_m: [y][x] over the whole reference image, metres along the ray; NaN = the pixel is left out of all
  // windows. Sample k lies (k - 7.5) * step_m beyond it. The tile must outlive its use.
  void start_tile(const FlatWaterCamera& reference, const Tile& tile, std::span<const float> guide_m,
                  double step_m);
  void start_source(const FlatWaterCamera& camera, const PackedSource& source);
  void sample_row(int y, Lanes* samples, Presence* presence) override;

 private:
  void project_row(const FlatWaterCamera& camera, std::size_t first);

  const Tile* tile_ = nullptr;
  const PackedSource* source_ = nullptr;
  std::vector<WaterRay> rays_;       // [input row][column]
  std::vector<double> middle_m_;     // likewise; NaN = none
  std::vector<float> u_[3], v_[3];   // likewise, powers of t in [-1, 1] over the sixteen depths
  std::vector<double> u_px_, v_px_;  // likewise, at the middle
  double half_range_m_ = 0;
  int u_base_px_ = 0, v_base_px_ = 0;
  PointBatch points_;
};

}  // namespace aqbench::plane_sweep
