#include "pipeline/plane_sweep/kernels/row_scorer.h"

#include <algorithm>

#include "pipeline/plane_sweep/kernels/plane_sweep.h"

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

// Sum over the window's columns around `column`; `sums` of columns outside the tile are zero.
template <std::ptrdiff_t kFields>
AQBENCH_INLINE void sum_columns(const WindowShape& window, const Lanes* sums, int column,
                                Lanes (&total)[kFields]) {
  for (Lanes& field : total) field = Lanes{};
  const Lanes* first = sums + column * kFields;  // column - half_window: the margin comes first
  for (int k = 0; k <= 2 * window.half_window; ++k)
    for (std::ptrdiff_t field = 0; field < kFields; ++field)
      total[field] += first[k * kFields + field] * window.weights[k];
}

AQBENCH_INLINE void clear_margins(const WindowShape& window, std::ptrdiff_t fields, Lanes* sums) {
  const std::ptrdiff_t margin = window.half_window * fields;
  for (std::ptrdiff_t i = 0; i < margin; ++i) sums[i] = sums[margin + window.columns * fields + i] = Lanes{};
}

AQBENCH_INLINE Lanes limit(Lanes value, float low, float high) {
  return at_most(at_least(value, broadcast(low)), broadcast(high));
}

// Similarity of two windows from their moments. Grey units.
AQBENCH_INLINE Lanes similarity(bool ssim, Lanes mean_r, Lanes mean_s, Lanes variance_r, Lanes variance_s,
                                Lanes covariance) {
  constexpr auto kC1 = static_cast<float>(kSsimC1), kC2 = static_cast<float>(kSsimC2);
  if (ssim) {
    const Lanes same = (2.0F * mean_r * mean_s + kC1) * (2.0F * covariance + kC2);
    const Lanes all = (mean_r * mean_r + mean_s * mean_s + kC1) * (variance_r + variance_s + kC2);
    return limit(same / all, 0.0F, 1.0F);
  }
  const Lanes product = variance_r * variance_s;
  const Lanes root = product * inverse_sqrt(at_least(product, broadcast(1e-30F)));
  return limit(covariance / (root + 1e-8F), -1.0F, 1.0F);
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

AQBENCH_MULTIVERSION
void centre_row_all_valid(const CentringPass& pass) {
  const WindowShape& window = pass.window;
  clear_margins(window, 1, pass.column_sums);
  Lanes* const sums = pass.column_sums + window.half_window;
  const int rows = 2 * window.half_window + 1;
  for (std::ptrdiff_t column = 0; column < window.columns; ++column) {
    Lanes sum = {};
    for (int k = 0; k < rows; ++k)
      if (pass.samples[k] != nullptr) sum += pass.samples[k][column] * window.weights[k];
    sums[column] = sum;
  }
  for (std::ptrdiff_t column = window.begin; column < window.end; ++column) {
    Lanes total[1];
    sum_columns(window, pass.column_sums, column, total);
    const Lanes mean = total[0] * pass.inverse_weight[column];
    pass.out.mean[column] = mean;
    pass.out.centred[column] = pass.middle_samples[column] - mean;
  }
}

AQBENCH_MULTIVERSION
void centre_row_some_missing(const CentringPass& pass) {
  const WindowShape& window = pass.window;
  clear_margins(window, 3, pass.column_sums);
  Lanes* const sums = pass.column_sums + std::ptrdiff_t{3} * window.half_window;
  const int rows = 2 * window.half_window + 1;
  for (std::ptrdiff_t column = 0; column < window.columns; ++column) {
    Lanes samples = {}, references = {}, weight = {};
    for (int k = 0; k < rows; ++k) {
      if (pass.samples[k] == nullptr) continue;
      const Lanes sample = pass.samples[k][column];
      const IntLanes valid = sample == sample;
      const Lanes share = valid ? broadcast(window.weights[k]) : Lanes{};
      samples += (valid ? sample : Lanes{}) * window.weights[k];
      references += share * pass.references[k][column];
      weight += share;
    }
    sums[3 * column] = samples, sums[3 * column + 1] = references, sums[3 * column + 2] = weight;
  }
  for (std::ptrdiff_t column = window.begin; column < window.end; ++column) {
    Lanes total[3];
    sum_columns(window, pass.column_sums, column, total);
    const Lanes inverse = 1.0F / at_least(total[2], broadcast(1e-8F));
    const Lanes mean = total[0] * inverse, mean_reference = total[1] * inverse;
    const Lanes sample = pass.middle_samples[column];
    const IntLanes valid = sample == sample;
    pass.out.mean[column] = mean;
    pass.out.mean_reference[column] = mean_reference;
    pass.out.weight[column] = total[2];
    pass.out.centred[column] = valid ? sample - mean : Lanes{};
    pass.out.centred_reference[column] = valid ? pass.middle_reference[column] - mean_reference : Lanes{};
  }
}

AQBENCH_MULTIVERSION
void score_row_all_valid(const ScoringPass& pass) {
  const WindowShape& window = pass.window;
  clear_margins(window, 2, pass.column_sums);
  Lanes* const sums = pass.column_sums + std::ptrdiff_t{2} * window.half_window;
  const int rows = 2 * window.half_window + 1;
  const int first = std::max(0, window.begin - window.half_window);
  const int last = std::min(window.columns, window.end + window.half_window);
  for (std::ptrdiff_t column = first; column < last; ++column) {
    Lanes squares = {}, products = {};
    for (int k = 0; k < rows; ++k) {
      if (pass.rows[k].centred == nullptr) continue;
      const Lanes centred = pass.rows[k].centred[column];
      squares += centred * centred * window.weights[k];
      products += centred * (window.weights[k] * pass.centred_references[k][column]);
    }
    sums[2 * column] = squares, sums[2 * column + 1] = products;
  }
  const float scale = pass.grey_per_code;
  for (std::ptrdiff_t column = window.begin; column < window.end; ++column) {
    Lanes total[2];
    sum_columns(window, pass.column_sums, column, total);
    const float inverse = pass.inverse_weight[column];
    const Lanes score = similarity(pass.ssim, broadcast(pass.mean_reference[column] + pass.reference_grey),
                                   pass.middle.mean[column] * scale + pass.grey_at_centre,
                                   broadcast(pass.variance_reference[column]),
                                   total[0] * (inverse * scale * scale), total[1] * (inverse * scale));
    pass.scores[column - window.begin] += inverse > 0.0F ? score : Lanes{};
  }
}

AQBENCH_MULTIVERSION
void score_row_some_missing(const ScoringPass& pass) {
  const WindowShape& window = pass.window;
  clear_margins(window, 3, pass.column_sums);
  Lanes* const sums = pass.column_sums + std::ptrdiff_t{3} * window.half_window;
  const int rows = 2 * window.half_window + 1;
  const int first = std::max(0, window.begin - window.half_window);
  const int last = std::min(window.columns, window.end + window.half_window);
  for (std::ptrdiff_t column = first; column < last; ++column) {
    Lanes squares = {}, products = {}, references = {};
    for (int k = 0; k < rows; ++k) {
      if (pass.rows[k].centred == nullptr) continue;
      const Lanes centred = pass.rows[k].centred[column], reference = pass.rows[k].centred_reference[column];
      const Lanes weighted = centred * window.weights[k];
      squares += weighted * centred;
      products += weighted * reference;
      references += reference * reference * window.weights[k];
    }
    sums[3 * column] = squares, sums[3 * column + 1] = products, sums[3 * column + 2] = references;
  }
  const float scale = pass.grey_per_code;
  for (std::ptrdiff_t column = window.begin; column < window.end; ++column) {
    Lanes total[3];
    sum_columns(window, pass.column_sums, column, total);
    const Lanes weight = pass.middle.weight[column];
    const Lanes inverse = 1.0F / at_least(weight, broadcast(1e-8F));
    const Lanes score = similarity(pass.ssim, pass.middle.mean_reference[column] + pass.reference_grey,
                                   pass.middle.mean[column] * scale + pass.grey_at_centre, total[2] * inverse,
                                   total[0] * inverse * (scale * scale), total[1] * inverse * scale);
    pass.scores[column - window.begin] += weight >= pass.min_weight ? score : Lanes{};
  }
}

}  // namespace aqbench::plane_sweep
