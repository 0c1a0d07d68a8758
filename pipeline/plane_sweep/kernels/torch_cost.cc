#include "pipeline/plane_sweep/kernels/torch_cost.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/where.h>

#include "pipeline/plane_sweep/kernels/cost_map.h"

namespace aqbench::plane_sweep {

TorchWindow::TorchWindow(const Options& options)
    : weights_(window_weights(options.cost, options.window_px)) {}

at::Tensor TorchWindow::operator()(const at::Tensor& planes) const {
  const auto half = static_cast<std::int64_t>(weights_.size()) / 2;
  // On the CPU, sums of shifted slices are ten times faster than pooling or convolution.
  const at::Tensor padded = at::constant_pad_nd(planes, {half, half, half, half});
  return sum_slices(sum_slices(padded, 2), 1);
}

at::Tensor TorchWindow::sum_slices(const at::Tensor& padded, std::int64_t dim) const {
  const std::int64_t length = padded.size(dim) - static_cast<std::int64_t>(weights_.size()) + 1;
  at::Tensor sum = padded.narrow(dim, 0, length).mul(weights_[0]);
  for (std::size_t k = 1; k < weights_.size(); ++k)
    sum.add_(padded.narrow(dim, static_cast<std::int64_t>(k), length), weights_[k]);
  return sum;
}

TorchCost::TorchCost(const Options& options, const at::Tensor& reference, float centre)
    : options_(options), window_(options), centre_(centre), reference_(reference) {
  reference_square_ = reference_ * reference_;
  full_weight_ = window_(at::ones({1, reference_.size(1), reference_.size(2)}, reference_.options()));
  full_sum_ = window_(reference_);
  full_square_sum_ = window_(reference_square_);
  full_centred_ = reference_ - full_sum_ / full_weight_;
  full_variance_ = window_(full_centred_ * full_centred_) / full_weight_;
}

at::Tensor TorchCost::costs(const TorchSamples& samples) const {
  const bool zncc = options_.cost == CostFunction::zncc;
  at::Tensor weight = samples.all_valid ? full_weight_ : window_(samples.valid);
  const at::Tensor safe = weight.clamp_min(options_.cost == CostFunction::ssim ? 1e-8 : 1.0);
  const at::Tensor similarity = zncc ? zncc_of(samples, safe) : centred_similarity(samples, safe);
  const at::Tensor cost = at::where(weight.ge(min_window_weight(options_.cost, options_.window_px)),
                                    1 - similarity, at::ones({}, similarity.options()));
  return cost.clamp(0, options_.cost == CostFunction::ssim ? 1 : 2);
}

at::Tensor TorchCost::zncc_of(const TorchSamples& samples, const at::Tensor& weight) const {
  const at::Tensor& s = samples.values;
  const at::Tensor mean_s = window_(s) / weight;
  const at::Tensor mean_r = (samples.all_valid ? full_sum_ : window_(reference_ * samples.valid)) / weight;
  const at::Tensor square_r =
      samples.all_valid ? full_square_sum_ : window_(reference_square_ * samples.valid);
  const at::Tensor var_r = (square_r / weight - mean_r * mean_r).clamp_min(0).add_(options_.noise_variance);
  const at::Tensor var_s =
      (window_(s * s) / weight - mean_s * mean_s).clamp_min(0).add_(options_.noise_variance);
  const at::Tensor covariance = window_(reference_ * s) / weight - mean_r * mean_s;
  return covariance * (var_r * var_s).rsqrt_();
}

// AquaMVS's two passes: each sample is centred by the mean of its own window.
at::Tensor TorchCost::centred_similarity(const TorchSamples& samples, const at::Tensor& weight) const {
  const at::Tensor mean_s = window_(samples.values) / weight;
  const at::Tensor centred_s = (samples.values - mean_s).mul_(samples.valid);
  at::Tensor mean_r = full_sum_ / full_weight_, centred_r = full_centred_, var_r = full_variance_;
  if (!samples.all_valid) {
    mean_r = window_(reference_ * samples.valid) / weight;
    centred_r = (reference_ - mean_r).mul_(samples.valid);
    var_r = window_(centred_r * centred_r) / weight;
  }
  const at::Tensor var_s = window_(centred_s * centred_s) / weight;
  const at::Tensor covariance = window_(centred_r * centred_s) / weight;
  if (options_.cost == CostFunction::ncc_reference) return covariance / ((var_r * var_s).sqrt_() + 1e-8);
  const at::Tensor grey_r = mean_r + centre_, grey_s = mean_s + centre_;
  const at::Tensor same = (2 * grey_r * grey_s + kSsimC1) * (2 * covariance + kSsimC2);
  return same / ((grey_r * grey_r + grey_s * grey_s + kSsimC1) * (var_r + var_s + kSsimC2));
}

}  // namespace aqbench::plane_sweep
