#pragma once
// The two passes of AquaMVS's window statistics for one row of a tile, at sixteen depths a pixel: first every
// sample is centred by the mean of its own window, then the squares and products of the centred samples are
// averaged over the window. Weights are separable: all 1 (ncc_reference) or Gaussian (ssim).

#include "pipeline/plane_sweep/kernels/lanes.h"

namespace aqbench::plane_sweep {

// The largest number of rows of a window.
inline constexpr int kMaxRows = 31;

// One row of samples and the results of the first pass, by column.
struct CentredRow {
  Lanes* samples;  // code minus centre code; NaN = missing
  Lanes* centred;  // minus the mean of the window; 0 where missing
  Lanes* mean;     // of the window
  // Only if samples may be missing:
  Lanes* centred_reference;  // r minus the mean of r over the window's valid samples; 0 where missing
  Lanes* mean_reference;     // that mean
  Lanes* weight;             // sum of the valid samples' weights
};

// The window of the statistics and the columns to compute.
struct WindowShape {
  const float* weights;  // [window]
  int half_window;
  int columns;     // of the tile with its margin
  int begin, end;  // columns to compute
};

// What the first pass reads and writes: from the samples of the window's rows to the centred row in their
// middle. samples[k] and references[k] (r of that row) belong to row k of the window; rows outside the image
// are nullptr.
struct CentringPass {
  WindowShape window;
  const Lanes* samples[kMaxRows];
  const float* references[kMaxRows];
  const float* inverse_weight;  // [column], if no sample is missing
  CentredRow out;
  const Lanes* middle_samples;
  const float* middle_reference;
  Lanes* column_sums;  // scratch, 3 * (columns + 2 * half_window)
};

// Runs the first pass where no sample is missing.
void centre_row_all_valid(const CentringPass& pass);
// Runs the first pass where samples may be missing.
void centre_row_some_missing(const CentringPass& pass);

// What the second pass reads and writes: from the centred rows of the window to the similarities of its
// middle row's pixels.
struct ScoringPass {
  WindowShape window;         // begin and end: the output columns
  CentredRow rows[kMaxRows];  // centred == nullptr: outside the image
  CentredRow middle;
  // If no sample is missing: of the reference, [window row][column] and, for the output pixels, [column].
  const float* centred_references[kMaxRows];
  const float* mean_reference;
  const float* variance_reference;
  const float* inverse_weight;  // 0 where the window is too small
  float min_weight;
  bool ssim;
  // The grey value of a sample s is grey_at_centre + grey_per_code * s, that of a reference r is
  // reference_grey + r.
  float grey_per_code, grey_at_centre, reference_grey;
  Lanes* column_sums;  // scratch as above
  Lanes* scores;       // [end - begin]: added to
};

// Runs the second pass where no sample is missing.
void score_row_all_valid(const ScoringPass& pass);
// Runs the second pass where samples may be missing.
void score_row_some_missing(const ScoringPass& pass);

}  // namespace aqbench::plane_sweep
