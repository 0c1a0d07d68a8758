#include "metrics/protocols/depth_fit.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "core/quantiles.h"
#include "metrics/numbers/exact_sum.h"
#include "metrics/numbers/order_statistics.h"
#include "metrics/protocols/protocol_result.h"

namespace aqbench {
namespace {

using Depths = std::span<const double>;

// Returns 1/x, where that is not finite 0, as numpy.nan_to_num() leaves it.
double inverse_or_zero(double depth) { return depth == 0 || std::isnan(depth) ? 0 : 1 / depth; }

double lower_median_of(Depths depths) {
  std::vector<double> values(depths.begin(), depths.end());
  return lower_median_in_place(values);
}

double mean_median_of(Depths depths) {
  std::vector<double> values(depths.begin(), depths.end());
  return median_in_place(values);
}

double weiszfeld_scale(Depths p, Depths g) {
  const auto means = exact_sums<2>(p.size(), [&](std::size_t i) { return std::array{p[i], g[i]}; });
  double scale = means[1] / means[0];
  for (int step = 0; step < 10; ++step) {
    const auto sums = exact_sums<2>(p.size(), [&](std::size_t i) {
      const double weighted = p[i] / (std::abs(scale * p[i] - g[i]) + 1e-8);
      return std::array{weighted * g[i], weighted * p[i]};
    });
    scale = sums[0] / sums[1];
  }
  return std::max(scale, 1e-3);  // their least scale; NaN stays
}

// The minimum of sum |p| |s - g/p| is a weighted median.
double l1_scale(Depths p, Depths g, Depths weights) {
  std::vector<WeightedValue> ratios;
  ratios.reserve(p.size());
  for (std::size_t i = 0; i < p.size(); ++i)
    if (p[i] != 0) ratios.push_back({g[i] / p[i], std::abs(p[i]) * (weights.empty() ? 1 : weights[i])});
  return ratios.empty() ? kUndefined : weighted_percentile_in_place(ratios, 0.5);
}

DepthFit least_squares(Depths p, Depths g) {
  const auto count = static_cast<double>(p.size());
  const auto sums = exact_sums<2>(p.size(), [&](std::size_t i) { return std::array{p[i], g[i]}; });
  const double mean_p = sums[0] / count, mean_g = sums[1] / count;
  const auto moments = exact_sums<2>(p.size(), [&](std::size_t i) {
    return std::array{(p[i] - mean_p) * (g[i] - mean_g), (p[i] - mean_p) * (p[i] - mean_p)};
  });
  if (!(moments[1] > 0)) return {kUndefined, kUndefined};
  const double scale = moments[0] / moments[1];
  return {scale, mean_g - scale * mean_p};
}

DepthFit inverse_least_squares(Depths p, Depths g) {
  std::vector<double> inverse_p(p.size()), inverse_g(p.size());
  std::ranges::transform(p, inverse_p.begin(), inverse_or_zero);
  std::ranges::transform(g, inverse_g.begin(), inverse_or_zero);
  DepthFit fit = least_squares(inverse_p, inverse_g);
  fit.of_inverse = true;
  return fit;
}

double sign(double value) { return value > 0 ? 1 : value < 0 ? -1 : 0; }

// torch.optim.Adam with its default settings at lr 1e-4, until the loss changes by less than 1e-6 in a step.
DepthFit adam(Depths p, Depths g) {
  std::array<double, 2> at{lower_median_of(g) / lower_median_of(p), 0}, mean{}, square{};
  double previous_loss = std::numeric_limits<double>::infinity();
  for (int step = 1; step <= 1000; ++step) {
    const auto [loss, d_scale, d_shift] = exact_sums<3>(p.size(), [&](std::size_t i) {
      const double residual = at[0] * p[i] + at[1] - g[i];
      return std::array{std::abs(residual), sign(residual) * p[i], sign(residual)};
    });
    for (const std::size_t k : {0, 1}) {
      const double gradient = k == 0 ? d_scale : d_shift;
      mean[k] = 0.9 * mean[k] + 0.1 * gradient;
      square[k] = 0.999 * square[k] + 0.001 * gradient * gradient;
      at[k] -= 1e-4 * (mean[k] / (1 - std::pow(0.9, step))) /
               (std::sqrt(square[k] / (1 - std::pow(0.999, step))) + 1e-8);
    }
    if (std::abs(previous_loss - loss) < 1e-6) break;
    previous_loss = loss;
  }
  return {at[0], at[1]};
}

// Least absolute deviations: min over s of f(s) = min over t of sum w |g - s p - t|. The inner minimum is at
// a median of g - s p; f is convex, and its slope has the sign of the slope of the sum at that median. Scales
// are bisected; a pixel whose residual keeps its sign for all scales that are left is only counted.
class LeastAbsoluteDeviations {
 public:
  LeastAbsoluteDeviations(Depths p, Depths g, Depths weights)
      : p_(p.begin(), p.end()), g_(g.begin(), g.end()), weights_(weights.begin(), weights.end()) {
    const auto [least, most] = std::ranges::minmax(p_);
    least_p_ = least;
    most_p_ = most;
  }

  DepthFit fit(double first_scale) {
    if (!(least_p_ < most_p_) || !std::isfinite(first_scale)) return {kUndefined, kUndefined};
    bracket(first_scale);
    while (true) {
      const double middle = low_.scale + (high_.scale - low_.scale) / 2;
      if (!(middle > low_.scale) || !(middle < high_.scale)) break;
      prune();
      narrow(middle);
    }
    return {high_.scale, high_.shift};
  }

 private:
  // A scale, its best shift, and the slope of f there.
  struct Place {
    double scale, shift, slope;
  };

  double weight_of(std::size_t i) const { return weights_.empty() ? 1 : weights_[i]; }

  // The lower median of all residuals, of which those that were pruned lie below or above.
  double median_residual() {
    if (weights_.empty()) {
      order_ = residuals_;
      const auto all = static_cast<std::size_t>(below_.weight + above_.weight) + p_.size();
      const auto middle = order_.begin() + static_cast<std::ptrdiff_t>(
                                               (all - 1) / 2 - static_cast<std::size_t>(below_.weight));
      std::nth_element(order_.begin(), middle, order_.end());
      return *middle;
    }
    constexpr double kFar = std::numeric_limits<double>::infinity();
    std::vector<WeightedValue> all = {{-kFar, below_.weight}, {kFar, above_.weight}};
    for (std::size_t i = 0; i < p_.size(); ++i) all.push_back({residuals_[i], weights_[i]});
    return weighted_percentile_in_place(all, 0.5);
  }

  Place place_at(double scale) {
    residuals_.resize(p_.size());
    for (std::size_t i = 0; i < p_.size(); ++i) residuals_[i] = g_[i] - scale * p_[i];
    const double shift = median_residual();
    // d/ds of sum w |r - t| along the best t: pixels on the line, at r = t, take what the others' signs lack.
    double slope = below_.sum_p - above_.sum_p, sum_p_on_line = 0;
    double signs = above_.weight - below_.weight, on_line = 0;
    for (std::size_t i = 0; i < p_.size(); ++i) {
      const double side = weight_of(i) * sign(residuals_[i] - shift);
      slope -= side * p_[i];
      signs += side;
      if (side != 0) continue;
      sum_p_on_line += weight_of(i) * p_[i];
      on_line += weight_of(i);
    }
    return {scale, shift, slope + signs * sum_p_on_line / on_line};
  }

  void narrow(double scale) {
    const Place place = place_at(scale);
    (place.slope > 0 ? high_ : low_) = place;
  }

  void bracket(double first_scale) {
    low_ = high_ = place_at(first_scale);
    double step = std::max(std::abs(first_scale), 1e-3) * 1e-3;
    while (low_.slope > 0) {
      high_ = low_;
      low_ = place_at(low_.scale - step);
      step *= 4;
    }
    while (!(high_.slope > 0)) {
      low_ = high_;
      high_ = place_at(high_.scale + step);
      step *= 4;
    }
  }

  // A residual is linear in the scale, and the median moves no faster than the fastest residual.
  void prune() {
    const double width = high_.scale - low_.scale, fast = most_p_ * width, slow = least_p_ * width;
    const double least_shift =
        std::max(std::min(low_.shift, low_.shift - fast), std::min(high_.shift, high_.shift + slow));
    const double most_shift =
        std::min(std::max(low_.shift, low_.shift - slow), std::max(high_.shift, high_.shift + fast));
    std::size_t kept = 0;
    for (std::size_t i = 0; i < p_.size(); ++i) {
      const double at_low = g_[i] - low_.scale * p_[i], at_high = g_[i] - high_.scale * p_[i];
      const double rounding = 1e-15 * (std::abs(g_[i]) + std::abs(high_.scale * p_[i]));
      if (std::max(at_low, at_high) < least_shift - rounding) {
        below_.add(weight_of(i), p_[i]);
      } else if (std::min(at_low, at_high) > most_shift + rounding) {
        above_.add(weight_of(i), p_[i]);
      } else {
        if (!weights_.empty()) weights_[kept] = weights_[i];
        p_[kept] = p_[i];
        g_[kept++] = g_[i];
      }
    }
    p_.resize(kept);
    g_.resize(kept);
    if (!weights_.empty()) weights_.resize(kept);
  }

  struct Pruned {
    double weight = 0, sum_p = 0;
    void add(double w, double p) {
      weight += w;
      sum_p += w * p;
    }
  };

  std::vector<double> p_, g_, weights_, residuals_, order_;  // weights_: empty where all are 1
  double least_p_ = 0, most_p_ = 0;
  Place low_{}, high_{};
  Pruned below_, above_;
};

DepthFit least_absolute_deviations(Depths p, Depths g, Depths weights) {
  constexpr std::size_t kSample = 1 << 16;  // a sample shows where to begin
  std::vector<double> some_p, some_g;
  const std::size_t step = std::max<std::size_t>(1, p.size() / kSample);
  for (std::size_t i = 0; i < p.size(); i += step) {
    some_p.push_back(p[i]);
    some_g.push_back(g[i]);
  }
  double first = least_squares(some_p, some_g).scale;
  if (step > 1) first = LeastAbsoluteDeviations(some_p, some_g, {}).fit(first).scale;
  return LeastAbsoluteDeviations(p, g, weights).fit(first);
}

}  // namespace

double DepthFit::operator()(double predicted) const {
  if (!of_inverse) return scale * predicted + shift;
  return std::isnan(scale) ? kUndefined : inverse_or_zero(scale * inverse_or_zero(predicted) + shift);
}

DepthFit fit_depths(DepthAlignment alignment, Depths p, Depths g, Depths weights) {
  if (alignment == DepthAlignment::none) return {};
  if (p.empty()) return {kUndefined, kUndefined};
  if (alignment == DepthAlignment::disparity) return inverse_least_squares(p, g);
  const auto finite = [](Depths depths) {
    return std::ranges::all_of(depths, [](double d) { return std::isfinite(d); });
  };
  if (!finite(p) || !finite(g)) return {kUndefined, kUndefined};
  switch (alignment) {
    case DepthAlignment::median:
      return {mean_median_of(g) / mean_median_of(p)};
    case DepthAlignment::lower_median:
      return {lower_median_of(g) / lower_median_of(p)};
    case DepthAlignment::scale_weiszfeld10:
      return {weiszfeld_scale(p, g)};
    case DepthAlignment::scale_l1:
      return {l1_scale(p, g, weights)};
    case DepthAlignment::adam1000:
      return adam(p, g);
    case DepthAlignment::lad:
      return least_absolute_deviations(p, g, weights);
    default:
      return least_squares(p, g);
  }
}

}  // namespace aqbench
