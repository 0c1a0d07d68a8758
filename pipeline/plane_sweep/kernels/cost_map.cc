#include "pipeline/plane_sweep/kernels/cost_map.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <utility>

#include "core/error.h"

namespace aqbench::plane_sweep {
namespace {

using Plane = std::vector<double>;

// Weighted sums over the window around each pixel; what lies outside the image counts as zero.
class WindowSums {
 public:
  WindowSums(int width, int height, std::vector<double> weights)
      : width_(width),
        height_(height),
        weights_(std::move(weights)),
        rows_(static_cast<std::size_t>(width) * height) {}

  Plane operator()(const Plane& in) {
    Plane out(in.size());
    sum_along(in, rows_, width_, 1, height_, width_);
    sum_along(rows_, out, height_, width_, width_, 1);
    return out;
  }

 private:
  // `lines` lines, line_step apart, of `length` values, step apart.
  void sum_along(const Plane& in, Plane& out, std::ptrdiff_t length, std::ptrdiff_t step,
                 std::ptrdiff_t lines, std::ptrdiff_t line_step) const {
    const std::ptrdiff_t half = std::ssize(weights_) / 2;
    for (std::ptrdiff_t line = 0; line < lines; ++line)
      for (std::ptrdiff_t i = 0; i < length; ++i) {
        double sum = 0;
        for (std::ptrdiff_t k = std::max(-half, -i); k <= std::min(half, length - 1 - i); ++k)
          sum += weights_[k + half] * in[line * line_step + (i + k) * step];
        out[line * line_step + i * step] = sum;
      }
  }

  int width_, height_;
  std::vector<double> weights_;
  Plane rows_;
};

// Second moments of the window around each pixel. `centre` is subtracted first: the mean of the pixel's own
// window in AquaMVS's formula, 0 for the textbook's.
struct WindowMoments {
  Plane mean_r, mean_s, var_r, var_s, covariance, weight;
};

Plane quotient(Plane sums, const Plane& weight) {
  for (std::size_t i = 0; i < sums.size(); ++i) sums[i] /= weight[i];
  return sums;
}

// sum(a * b * mask) / weight over each window.
Plane product_mean(WindowSums& sums, const Plane& a, const Plane& b, const Plane& mask, const Plane& weight) {
  Plane product(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) product[i] = a[i] * b[i] * mask[i];
  return quotient(sums(product), weight);
}

void subtract(Plane& from, const Plane& what) {
  for (std::size_t i = 0; i < from.size(); ++i) from[i] -= what[i];
}

WindowMoments window_moments(const Options& options, WindowSums& sums, Plane r, Plane s, const Plane& mask) {
  WindowMoments m;
  m.weight = sums(mask);
  Plane safe_weight = m.weight;  // where raised, the window is refused anyway
  const double floor = options.cost == CostFunction::ssim ? 1e-8 : 1.0;
  for (double& weight : safe_weight) weight = std::max(weight, floor);
  const Plane ones(r.size(), 1.0);
  m.mean_r = product_mean(sums, r, ones, mask, safe_weight);
  m.mean_s = product_mean(sums, s, ones, mask, safe_weight);
  const bool centre_each_pixel = options.cost != CostFunction::zncc;
  if (centre_each_pixel) {
    subtract(r, m.mean_r);
    subtract(s, m.mean_s);
  }
  m.var_r = product_mean(sums, r, r, mask, safe_weight);
  m.var_s = product_mean(sums, s, s, mask, safe_weight);
  m.covariance = product_mean(sums, r, s, mask, safe_weight);
  if (!centre_each_pixel)
    for (std::size_t i = 0; i < r.size(); ++i) {
      m.var_r[i] = std::max(0.0, m.var_r[i] - m.mean_r[i] * m.mean_r[i]);
      m.var_s[i] = std::max(0.0, m.var_s[i] - m.mean_s[i] * m.mean_s[i]);
      m.covariance[i] -= m.mean_r[i] * m.mean_s[i];
    }
  return m;
}

double window_cost(const Options& options, const WindowMoments& m, std::size_t i) {
  switch (options.cost) {
    case CostFunction::zncc:
      return 1 - m.covariance[i] /
                     std::sqrt((m.var_r[i] + options.noise_variance) * (m.var_s[i] + options.noise_variance));
    case CostFunction::ncc_reference:
      return 1 - m.covariance[i] / (std::sqrt(m.var_r[i] * m.var_s[i]) + 1e-8);
    case CostFunction::ssim:
      return 1 - (2 * m.mean_r[i] * m.mean_s[i] + kSsimC1) * (2 * m.covariance[i] + kSsimC2) /
                     ((m.mean_r[i] * m.mean_r[i] + m.mean_s[i] * m.mean_s[i] + kSsimC1) *
                      (m.var_r[i] + m.var_s[i] + kSsimC2));
  }
  return 1;
}

}  // namespace

std::vector<double> window_weights(CostFunction cost, int window_px) {
  std::vector<double> weights(static_cast<std::size_t>(window_px), 1.0);
  if (cost != CostFunction::ssim) return weights;
  double sum = 0;
  for (int i = 0; i < window_px; ++i) {
    const int offset = i - window_px / 2;
    weights[i] = std::exp(-(offset * offset) / (2 * kSsimSigma_px * kSsimSigma_px));
    sum += weights[i];
  }
  for (double& weight : weights) weight /= sum;
  return weights;
}

double min_window_weight(CostFunction cost, int window_px) {
  const int half_the_pixels = window_px * window_px / 2;  // rounded down, as in AquaMVS
  return cost == CostFunction::ssim ? 0.5 : half_the_pixels;
}

void cost_map(const Options& options, int width_px, int height_px, std::span<const float> reference,
              std::span<const float> warped, std::span<float> cost) {
  check(options);
  const std::size_t pixels = cost.size();
  if (width_px < 1 || height_px < 1 || pixels != static_cast<std::size_t>(width_px) * height_px ||
      reference.size() != pixels || warped.size() != pixels)
    throw Error(ErrorKind::input, "cost_map: the image sizes differ");
  Plane r(reference.begin(), reference.end()), s(pixels), mask(pixels);
  for (std::size_t i = 0; i < pixels; ++i) {
    const bool valid = !std::isnan(warped[i]);
    mask[i] = valid ? 1 : 0;
    s[i] = valid ? warped[i] : 0;
  }
  WindowSums sums(width_px, height_px, window_weights(options.cost, options.window_px));
  const WindowMoments moments = window_moments(options, sums, std::move(r), std::move(s), mask);
  const double needed = min_window_weight(options.cost, options.window_px);
  const double highest = options.cost == CostFunction::ssim ? 1 : 2;
  for (std::size_t i = 0; i < pixels; ++i)
    cost[i] = moments.weight[i] < needed
                  ? 1.0F
                  : static_cast<float>(std::clamp(window_cost(options, moments, i), 0.0, highest));
}

}  // namespace aqbench::plane_sweep
