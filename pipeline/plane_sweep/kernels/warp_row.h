#pragma once
// Samples one row of a tile in a source image, at sixteen depths a pixel.

#include <cstdint>

#include "pipeline/plane_sweep/kernels/lanes.h"
#include "pipeline/plane_sweep/kernels/packed_source.h"
#include "pipeline/plane_sweep/kernels/projection_fit.h"

namespace aqbench::plane_sweep {

// Which of a pixel's sixteen samples lie inside the source image.
enum class Presence : std::uint8_t { all, some, none };

// A row whose pixels share the polynomials of a box.
struct WarpRow {
  const PackedSource* source;
  const ProjectionFit* fit;
  float y;            // box coordinate of the row, -1 to 1
  const float* x;     // box coordinates of the pixels
  int count;          // pixels
  float centre_code;  // subtracted from every sample, so that sums of squares lose no digits
};

// Classifies the samples of each pixel: `none` and `all` hold with a margin, `some` may be anything.
void classify_row(const WarpRow& row, Presence* presence);

// Samples the row. samples[i]: code minus centre_code of pixel i at each depth. All of them must lie inside
// the image.
void warp_row_inside(const WarpRow& row, Lanes* samples);
// Samples the row, with NaN where a sample lies outside the image.
void warp_row_partly_inside(const WarpRow& row, Lanes* samples);

// A row whose pixels have their own depths, each the middle of sixteen. Positions relative to (u_base_px,
// v_base_px): u = u[0][i] + t u[1][i] + t^2 u[2][i] for t in offsets, v alike; NaN = no depth.
struct GuidedRow {
  const PackedSource* source;
  const float* u[3];
  const float* v[3];
  int u_base_px, v_base_px;
  int count;  // pixels
  float centre_code;
  Lanes offsets;  // ascending
};

// classify_row() for a GuidedRow.
void classify_guided_row(const GuidedRow& row, Presence* presence);
// warp_row_inside() for a GuidedRow.
void warp_guided_row_inside(const GuidedRow& row, Lanes* samples);
// warp_row_partly_inside() for a GuidedRow.
void warp_guided_row_partly_inside(const GuidedRow& row, Lanes* samples);

}  // namespace aqbench::plane_sweep
