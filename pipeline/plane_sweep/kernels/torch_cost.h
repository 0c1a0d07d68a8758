#pragma once
// The cost functions with LibTorch operators: whole images, a batch of depths a call.

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "pipeline/plane_sweep/kernels/options.h"

namespace aqbench::plane_sweep {

// Weighted sums over the windows of [batch, height, width]; zero outside.
class TorchWindow {
 public:
  explicit TorchWindow(const Options& options);

  // Returns the sums, of the same shape.
  at::Tensor operator()(const at::Tensor& planes) const;

 private:
  at::Tensor sum_slices(const at::Tensor& padded, std::int64_t dim) const;

  std::vector<double> weights_;
};

// Samples of `batch` depths: 0 where missing, and which are valid.
struct TorchSamples {
  at::Tensor values, valid;  // [batch, height, width], float
  bool all_valid = false;
};

// The costs of a reference image's windows.
class TorchCost {
 public:
  // reference: [1, height, width], grey minus `centre`, on the device that computes. The options must outlive
  // the object.
  TorchCost(const Options& options, const at::Tensor& reference, float centre);

  // Returns the costs of samples: [batch, height, width].
  at::Tensor costs(const TorchSamples& samples) const;

 private:
  at::Tensor zncc_of(const TorchSamples& samples, const at::Tensor& weight) const;
  at::Tensor centred_similarity(const TorchSamples& samples, const at::Tensor& weight) const;

  const Options& options_;
  TorchWindow window_;
  float centre_;
  at::Tensor reference_, reference_square_;  // [1, height, width]
  // Window statistics of the reference where no sample is missing.
  at::Tensor full_weight_, full_sum_, full_square_sum_, full_centred_, full_variance_;
};

}  // namespace aqbench::plane_sweep
