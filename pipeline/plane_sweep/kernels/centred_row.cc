#include "pipeline/plane_sweep/kernels/centred_row.h"

#include <algorithm>
#include <cstddef>

#include "pipeline/plane_sweep/kernels/options.h"

namespace aqbench::plane_sweep {
namespace {

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
