#include "pipeline/plane_sweep/kernels/zncc_row.h"

#include <algorithm>

namespace aqbench::plane_sweep {
namespace {

using SampleSums = Lanes[kSampleSums];
using MissingSums = Lanes[kMissingSums];

// Updates a column: adds the entering row, subtracts the leaving one. No sample is missing.
AQBENCH_INLINE void update_column(const ZnccRow& row, int column, Lanes* sums) {
  const Lanes in = row.entering[column], out = row.leaving[column];
  sums[0] += in - out;
  sums[1] = sums[1] + in * in - out * out;
  sums[2] = sums[2] + in * row.entering_reference[column] - out * row.leaving_reference[column];
}

AQBENCH_INLINE void add_with_gaps(Lanes sample, float reference, float sign, Lanes* sums, Lanes* missing) {
  const IntLanes gap = sample != sample;
  const Lanes s = gap ? Lanes{} : sample;
  const Lanes r = (gap ? broadcast(sign) : Lanes{}) * reference;
  sums[0] += s * sign;
  sums[1] += s * s * sign;
  sums[2] += s * (sign * reference);
  missing[0] += gap ? broadcast(sign) : Lanes{};
  missing[1] += r;
  missing[2] += r * reference;
}

AQBENCH_INLINE void update_column_with_gaps(const ZnccRow& row, int column, Lanes* sums, Lanes* missing) {
  add_with_gaps(row.entering[column], row.entering_reference[column], 1.0F, sums, missing);
  add_with_gaps(row.leaving[column], row.leaving_reference[column], -1.0F, sums, missing);
}

AQBENCH_INLINE Lanes score_without_gaps(const ZnccRow& row, int output, const SampleSums& s) {
  const float inverse = row.inverse_count[output];
  const Lanes mean = s[0] * inverse;
  const Lanes variance = at_least(s[1] * inverse - mean * mean, Lanes{}) + row.noise_samples;
  const Lanes covariance = s[2] - mean * row.sum[output];
  return covariance * row.gain[output] * inverse_sqrt(variance);
}

AQBENCH_INLINE Lanes score_with_gaps(const ZnccRow& row, int output, const SampleSums& s,
                                     const MissingSums& m) {
  const Lanes count = row.count[output] - m[0];
  const Lanes inverse = 1.0F / at_least(count, broadcast(1.0F));
  const Lanes mean = s[0] * inverse, mean_r = (row.sum[output] - m[1]) * inverse;
  const Lanes variance = at_least(s[1] * inverse - mean * mean, Lanes{}) + row.noise_samples;
  const Lanes variance_r =
      at_least((row.square_sum[output] - m[2]) * inverse - mean_r * mean_r, Lanes{}) + row.noise_reference;
  const Lanes covariance = s[2] * inverse - mean * mean_r;
  const Lanes correlation = covariance * inverse_sqrt(variance * variance_r);
  return count >= row.min_count ? correlation : Lanes{};
}

// Sums over the columns of one window that moves along the row.
struct MovingWindow {
  const ZnccRow& row;
  Lanes* sums;     // of column 0
  Lanes* missing;  // of column 0
  SampleSums samples;

  AQBENCH_INLINE explicit MovingWindow(const ZnccRow& of)
      : row(of),
        sums(of.sample_sums + (of.half_window + 1) * kSampleSums),
        missing(of.missing_sums + (of.half_window + 1) * kMissingSums),
        samples{} {}

  AQBENCH_INLINE void enter(int column) {
    for (std::ptrdiff_t k = 0; k < kSampleSums; ++k) samples[k] += sums[column * kSampleSums + k];
  }
  AQBENCH_INLINE void leave(int column) {
    for (std::ptrdiff_t k = 0; k < kSampleSums; ++k) samples[k] -= sums[column * kSampleSums + k];
  }
};

AQBENCH_INLINE void score_run_without_gaps(MovingWindow& window, int begin, int end) {
  const ZnccRow& row = window.row;
  const int ahead = row.first_output + row.half_window, behind = row.first_output - row.half_window - 1;
  const int full = std::clamp(row.columns - ahead, begin, end);
  for (int output = begin; output < full; ++output) {
    update_column(row, output + ahead, window.sums + (output + ahead) * kSampleSums);
    for (std::ptrdiff_t k = 0; k < kSampleSums; ++k)
      window.samples[k] +=
          window.sums[(output + ahead) * kSampleSums + k] - window.sums[(output + behind) * kSampleSums + k];
    row.scores[output] += score_without_gaps(row, output, window.samples);
  }
  for (int output = full; output < end; ++output) {
    window.leave(output + behind);
    row.scores[output] += score_without_gaps(row, output, window.samples);
  }
}

AQBENCH_INLINE void update_any_column(const MovingWindow& window, int column, Gaps gaps) {
  Lanes* const sums = window.sums + column * kSampleSums;
  Lanes* const missing = window.missing + column * kMissingSums;
  if (gaps == Gaps::none) {
    update_column(window.row, column, sums);
  } else if (gaps == Gaps::some) {
    update_column_with_gaps(window.row, column, sums, missing);
  } else {
    const float in = window.row.entering_reference[column], out = window.row.leaving_reference[column];
    missing[0] += window.row.missing_rows_change;
    missing[1] += in - out;
    missing[2] += in * in - out * out;
  }
}

AQBENCH_INLINE void score_run_with_gaps(MovingWindow& window, int begin, int end, const Gaps* column_gaps,
                                        const Gaps* output_gaps) {
  const ZnccRow& row = window.row;
  const int ahead = row.first_output + row.half_window, behind = row.first_output - row.half_window - 1;
  MissingSums missing{};
  for (int column = std::max(begin + behind, -row.half_window - 1);
       column < std::min(begin + ahead, row.columns); ++column)
    for (std::ptrdiff_t k = 0; k < kMissingSums; ++k) missing[k] += window.missing[column * kMissingSums + k];
  for (int output = begin; output < end; ++output) {
    const int entering = output + ahead, leaving = output + behind;
    if (entering < row.columns) {
      update_any_column(window, entering, column_gaps[entering]);
      window.enter(entering);
      for (std::ptrdiff_t k = 0; k < kMissingSums; ++k)
        missing[k] += window.missing[entering * kMissingSums + k];
    }
    window.leave(leaving);
    for (std::ptrdiff_t k = 0; k < kMissingSums; ++k)
      missing[k] -= window.missing[leaving * kMissingSums + k];
    if (output_gaps[output] == Gaps::some)
      row.scores[output] += score_with_gaps(row, output, window.samples, missing);
  }
}

}  // namespace

AQBENCH_MULTIVERSION
void add_zncc_row_without_gaps(const ZnccRow& row) {
  MovingWindow window(row);
  for (int column = 0; column < std::min(row.first_output + row.half_window, row.columns); ++column) {
    update_column(row, column, window.sums + column * kSampleSums);
    window.enter(column);
  }
  score_run_without_gaps(window, 0, row.outputs);
}

AQBENCH_MULTIVERSION
void add_zncc_row_with_gaps(const ZnccRow& row, const Gaps* column_gaps, const Gaps* output_gaps) {
  MovingWindow window(row);
  for (int column = 0; column < std::min(row.first_output + row.half_window, row.columns); ++column) {
    update_any_column(window, column, column_gaps[column]);
    window.enter(column);
  }
  for (int begin = 0, end = 0; begin < row.outputs; begin = end) {
    const bool gaps = output_gaps[begin] != Gaps::none;
    while (end < row.outputs && (output_gaps[end] != Gaps::none) == gaps) ++end;
    if (gaps)
      score_run_with_gaps(window, begin, end, column_gaps, output_gaps);
    else
      score_run_without_gaps(window, begin, end);
  }
}

}  // namespace aqbench::plane_sweep
