#pragma once
// Sample positions of a tile in a source image as polynomials. The map (x, y, depth) -> (u, v) from a
// reference pixel and ray depth to a source pixel is smooth, so over a tile and sixteen depths a few exact
// projections (Snell's law, double precision) at Chebyshev points determine it to well below 0.01 px.

#include <array>
#include <span>

#include "pipeline/plane_sweep/kernels/lanes.h"
#include "scenes/optics/refraction_batch.h"
#include "scenes/optics/refractive_camera.h"

namespace aqbench::plane_sweep {

// Chebyshev points along each axis; the polynomials' degrees are one less.
inline constexpr int kNodesX = 5, kNodesY = 6, kNodesDepth = 6;
// The largest error of an accepted fit.
inline constexpr double kFitTolerance_px = 1e-4;

// A box of pixels: [x_begin, x_end) x [y_begin, y_end) of the reference image.
struct PixelBox {
  int x_begin, x_end, y_begin, y_end;
};

// The rays of a box at the nodes, and at the points that check the polynomials.
struct BoxRays {
  PixelBox box;
  bool valid = false;  // every ray enters the water
  std::array<WaterRay, std::size_t{kNodesX} * kNodesY> nodes;
  std::array<WaterRay, 9> checks;
};

// Casts the rays of a box.
BoxRays cast_box_rays(const RefractiveCamera& reference, const PixelBox& box);

// The polynomials of a box at sixteen depths. The sample of lane l lies at u = u_base_px + sum over a, b of
// u[a][b][l] X^a Y^b, v alike; X and Y run from -1 to 1 over the box's outermost pixels. The bases keep the
// polynomials small, so that single precision suffices, and are such that no sample inside the image lies
// before them.
struct ProjectionFit {
  bool exact_enough = false;  // all projections valid, largest error at the check points within tolerance
  double error_px = 0;        // that error; infinite if a projection failed
  double u_min_px, u_max_px, v_min_px, v_max_px;  // over nodes and check points
  int u_base_px, v_base_px;
  Lanes u[kNodesX][kNodesY], v[kNodesX][kNodesY];
};

// Workspace of fit_projection(); reuse it to save allocations.
struct FitScratch {
  PointBatch points;
};

// Fits the polynomials of a box in one source. depths_m: kLanes values, ascending.
void fit_projection(const BoxRays& rays, std::span<const float, kLanes> depths_m,
                    const RefractiveCamera& source, FitScratch& scratch, ProjectionFit& fit);

// Returns X or Y of a pixel in [begin, end).
AQBENCH_INLINE float box_coordinate(int pixel, int begin, int end) {
  return end - begin > 1
             ? static_cast<float>(2 * pixel - begin - (end - 1)) / static_cast<float>(end - 1 - begin)
             : 0.0F;
}

}  // namespace aqbench::plane_sweep
