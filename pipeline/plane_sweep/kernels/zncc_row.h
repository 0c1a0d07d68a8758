#pragma once
// Window sums of textbook cross-correlation for one output row of a tile, at sixteen depths a pixel. A row
// enters each column's sums at the bottom and one leaves at the top; along the row a column enters on the
// right and one leaves on the left, so the cost is independent of the window size.

#include <cstddef>
#include <cstdint>

#include "pipeline/plane_sweep/kernels/lanes.h"

namespace aqbench::plane_sweep {

// Sums of a column, kept from row to row: of the samples s, of s^2 and of r s with the reference r; and, of
// the missing samples, the count and the sums of r and r^2.
inline constexpr std::ptrdiff_t kSampleSums = 3, kMissingSums = 3;

// What one step of the window reads and writes.
struct ZnccRow {
  int columns;       // of the tile with its margin
  int first_output;  // the column under the first output pixel
  int outputs;       // output pixels
  int half_window;
  const Lanes* entering;  // samples of the row that enters, NaN = missing; zero for no row
  const Lanes* leaving;
  const float* entering_reference;  // r of those rows; zero for no row
  const float* leaving_reference;
  // [half_window + 1 + columns][kSampleSums]; the first half_window + 1 columns stay zero. Likewise the
  // other.
  Lanes* sample_sums;
  Lanes* missing_sums;
  // Of each output pixel's window, if no sample is missing: the sums of 1, r and r^2, 1 / count, and
  // 1 / (count sqrt(variance of r + noise)), 0 where the window is too small.
  const float* count;
  const float* inverse_count;
  const float* sum;
  const float* square_sum;
  const float* gain;
  float missing_rows_change;  // rows that enter minus rows that leave: 1, 0 or -1
  float noise_reference;      // added to the variance of r; grey units squared
  float noise_samples;        // added to the variance of s; code units squared
  float min_count;            // valid samples that a window needs
  Lanes* scores;  // [outputs]: the correlation is added; nothing where the window has too few samples
};

// How much of a column's window, or of the columns of an output pixel's window, is missing.
enum class Gaps : std::uint8_t {
  none,  // nothing, nor in the row that leaves
  some,
  all,  // everything, also in the row that leaves
};

// Moves the window by a row where no sample is missing, neither now nor in the sums.
void add_zncc_row_without_gaps(const ZnccRow& row);

// Moves the window by a row where samples may be missing. column_gaps: [columns]; missing_sums of a column
// with Gaps::none are zero and stay so.
void add_zncc_row_with_gaps(const ZnccRow& row, const Gaps* column_gaps, const Gaps* output_gaps);

}  // namespace aqbench::plane_sweep
