// The kernel `torch` of the plane sweep.
#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>
#include <ATen/ops/full_like.h>
#include <ATen/ops/grid_sampler_2d.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros_like.h>
#include <c10/core/InferenceMode.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>

#include "core/error.h"
#include "core/parallel.h"
#include "core/stage_scope.h"
#include "pipeline/plane_sweep/kernels/plane_sweep.h"
#include "pipeline/plane_sweep/kernels/winner.h"
#include "scenes/optics/projection_table.h"

namespace aqbench::plane_sweep {
namespace {

// grid_sampler_2d takes its modes as numbers.
constexpr int kBilinear = 0, kZeroPadding = 0;

at::Tensor to_device(const std::vector<float>& values, at::IntArrayRef sizes, c10::Device device) {
  at::Tensor tensor = at::empty(sizes, at::kFloat);
  std::memcpy(tensor.data_ptr<float>(), values.data(), values.size() * sizeof(float));
  return tensor.to(device);
}

// ---- The cost functions: whole images, a batch of depths a call ----

// Weighted sums over the windows of [batch, height, width]; zero outside.
class TorchWindow {
 public:
  explicit TorchWindow(const Options& options) : weights_(window_weights(options.cost, options.window_px)) {}

  // Returns the sums, of the same shape.
  at::Tensor operator()(const at::Tensor& planes) const {
    const auto half = static_cast<std::int64_t>(weights_.size()) / 2;
    // On the CPU, sums of shifted slices are ten times faster than pooling or convolution.
    const at::Tensor padded = at::constant_pad_nd(planes, {half, half, half, half});
    return sum_slices(sum_slices(padded, 2), 1);
  }

 private:
  at::Tensor sum_slices(const at::Tensor& padded, std::int64_t dim) const {
    const std::int64_t length = padded.size(dim) - static_cast<std::int64_t>(weights_.size()) + 1;
    at::Tensor sum = padded.narrow(dim, 0, length).mul(weights_[0]);
    for (std::size_t k = 1; k < weights_.size(); ++k)
      sum.add_(padded.narrow(dim, static_cast<std::int64_t>(k), length), weights_[k]);
    return sum;
  }

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
  TorchCost(const Options& options, const at::Tensor& reference, float centre)
      : options_(options), window_(options), centre_(centre), reference_(reference) {
    reference_square_ = reference_ * reference_;
    full_weight_ = window_(at::ones({1, reference_.size(1), reference_.size(2)}, reference_.options()));
    full_sum_ = window_(reference_);
    full_square_sum_ = window_(reference_square_);
    full_centred_ = reference_ - full_sum_ / full_weight_;
    full_variance_ = window_(full_centred_ * full_centred_) / full_weight_;
  }

  // Returns the costs of samples: [batch, height, width].
  at::Tensor costs(const TorchSamples& samples) const {
    const bool zncc = options_.cost == CostFunction::zncc;
    at::Tensor weight = samples.all_valid ? full_weight_ : window_(samples.valid);
    const at::Tensor safe = weight.clamp_min(options_.cost == CostFunction::ssim ? 1e-8 : 1.0);
    const at::Tensor similarity = zncc ? zncc_of(samples, safe) : centred_similarity(samples, safe);
    const at::Tensor cost = at::where(weight.ge(min_window_weight(options_.cost, options_.window_px)),
                                      1 - similarity, at::ones({}, similarity.options()));
    return cost.clamp(0, options_.cost == CostFunction::ssim ? 1 : 2);
  }

 private:
  at::Tensor zncc_of(const TorchSamples& samples, const at::Tensor& weight) const {
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
  at::Tensor centred_similarity(const TorchSamples& samples, const at::Tensor& weight) const {
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

  const Options& options_;
  TorchWindow window_;
  float centre_;
  at::Tensor reference_, reference_square_;  // [1, height, width]
  // Window statistics of the reference where no sample is missing.
  at::Tensor full_weight_, full_sum_, full_square_sum_, full_centred_, full_variance_;
};

// ---- The sweep ----

struct TorchSource {
  at::Tensor image;  // [1, 1, height, width], grey minus the common centre
  ProjectionTable table;
  at::Tensor column_weights;  // [nodes, width]
  at::Tensor row_weights;     // [height, nodes]
  at::Tensor u, v;            // [depth, nodes, nodes]
};

class TorchSweep {
 public:
  TorchSweep(const Input& input, const Options& options, const Result& result)
      : input_(input),
        device_(options.device),
        height_(result.height_px),
        width_(result.width_px),
        depths_m_(result.depths_m),
        centre_(mean_grey(input.reference.image)) {
    const std::vector<float> reference = grey_minus(input.reference.image, centre_);
    cost_.emplace(options, to_device(reference, {1, height_, width_}, device_), centre_);
    for (const View& view : input.sources) add_source(view);
  }

  // Mean cost over the sources of depths [first, first + batch): [batch, height, width].
  at::Tensor costs(std::int64_t first, std::int64_t batch) const {
    at::Tensor sum;
    for (std::size_t s = 0; s < sources_.size(); ++s) {
      at::Tensor cost = cost_->costs(sample(s, first, batch));
      sum = s == 0 ? cost : sum.add_(cost);
    }
    return sum.div_(static_cast<double>(sources_.size()));
  }

  c10::Device device() const { return device_; }

 private:
  void add_source(const View& view) {
    TorchSource source;
    source.image = to_device(grey_minus(view.image, centre_),
                             {1, 1, view.image.height_px, view.image.width_px}, device_);
    source.table = make_projection_table(input_.reference.camera, view.camera, depths_m_);
    const std::int64_t nodes = source.table.nodes, depths = static_cast<std::int64_t>(depths_m_.size());
    if (nodes > 0) {
      source.column_weights =
          to_device(source.table.column_weights, {width_, nodes}, device_).t().contiguous();
      source.row_weights = to_device(source.table.row_weights, {height_, nodes}, device_);
      source.u = to_device(source.table.u, {depths, nodes, nodes}, device_);
      source.v = to_device(source.table.v, {depths, nodes, nodes}, device_);
    }
    sources_.push_back(std::move(source));
  }

  // [depths, height, width] from [depths, nodes, nodes].
  static at::Tensor interpolate(const TorchSource& source, const at::Tensor& nodes) {
    return at::matmul(source.row_weights, at::matmul(nodes, source.column_weights));
  }

  // Positions in grid_sample's units, [batch, height, width, 2].
  at::Tensor positions(std::size_t s, std::int64_t first, std::int64_t batch) const {
    const TorchSource& source = sources_[s];
    std::vector<at::Tensor> planes;
    if (source.table.nodes > 0) {
      // Depth by depth: the bits of a matrix product could depend on the batch.
      for (std::int64_t d = first; d < first + batch; ++d)
        planes.push_back(at::stack(
            {interpolate(source, source.u.narrow(0, d, 1)), interpolate(source, source.v.narrow(0, d, 1))},
            3));
      return at::cat(planes, 0);
    }
    std::vector<float> u(static_cast<std::size_t>(height_ * width_)), v(u.size());
    for (std::int64_t d = first; d < first + batch; ++d) {
      exact_positions(input_.reference.camera, input_.sources[s].camera,
                      depths_m_[static_cast<std::size_t>(d)], u, v);
      planes.push_back(
          at::stack({to_device(u, {height_, width_}, device_), to_device(v, {height_, width_}, device_)}, 2));
    }
    return at::stack(planes, 0);
  }

  TorchSamples sample(std::size_t s, std::int64_t first, std::int64_t batch) const {
    const StageScope scope("grid_sample_warp");
    const at::Tensor grid = positions(s, first, batch);
    const at::Tensor inside = grid.abs().le(1).all(3);
    // The CPU kernel parallelises only over the batch: rows join the batch, which changes no value.
    const std::int64_t strips = row_strips(batch);
    const at::Tensor image = sources_[s].image.expand({batch * strips, 1, -1, -1});
    at::Tensor values = at::grid_sampler_2d(image, grid.view({batch * strips, height_ / strips, width_, 2}),
                                            kBilinear, kZeroPadding, /*align_corners=*/true);
    TorchSamples samples;
    samples.valid = inside.to(at::kFloat);
    samples.values = values.view({batch, height_, width_}).mul_(samples.valid);
    samples.all_valid = inside.all().item<bool>();
    return samples;
  }

  // The fewest strips of equal height that keep every thread busy.
  std::int64_t row_strips(std::int64_t batch) const {
    std::int64_t strips = 1;
    while (strips < height_ && (batch * strips < at::get_num_threads() || height_ % strips != 0)) ++strips;
    return strips;
  }

  const Input& input_;
  c10::Device device_;
  std::int64_t height_, width_;
  const std::vector<float>& depths_m_;
  float centre_;  // the reference's mean grey value, subtracted everywhere
  std::optional<TorchCost> cost_;
  std::vector<TorchSource> sources_;
};

// The streamed winner, as in winner.h, a tensor a field.
class TorchWinner {
 public:
  TorchWinner(std::int64_t height, std::int64_t width, c10::Device device)
      : cost_(at::full({height, width}, std::numeric_limits<double>::infinity(),
                       at::TensorOptions(at::kFloat).device(device))),
        index_(at::full_like(cost_, -2)),
        before_(at::zeros_like(cost_)),
        after_(at::zeros_like(cost_)),
        last_(at::zeros_like(cost_)),
        sum_(at::zeros_like(cost_)) {}

  void feed(const at::Tensor& cost, std::int64_t depth) {
    after_ = at::where(index_.eq(depth - 1), cost, after_);
    const at::Tensor better = cost.lt(cost_);
    before_ = at::where(better, last_, before_);
    index_ = index_.masked_fill(better, depth);
    cost_ = at::where(better, cost, cost_);
    sum_.add_(cost);
    last_ = cost;
  }

  void finish(Result& result, bool even_in_inverse) const {
    const auto host = [](const at::Tensor& tensor) { return tensor.cpu().contiguous(); };
    const at::Tensor cost = host(cost_), index = host(index_), before = host(before_), after = host(after_),
                     sum = host(sum_);
    const std::vector<float>& depths_m = result.depths_m;
    const auto last = static_cast<float>(depths_m.size() - 1);
    for (std::size_t i = 0; i < result.depth_m.size(); ++i) {
      const float best = index.data_ptr<float>()[i];
      const bool inner = best > 0 && best < last;
      const DepthEstimate estimate =
          inner ? refine_winner(depths_m, static_cast<std::size_t>(best), even_in_inverse,
                                before.data_ptr<float>()[i], cost.data_ptr<float>()[i],
                                after.data_ptr<float>()[i],
                                sum.data_ptr<float>()[i] / static_cast<float>(depths_m.size()))
                : kNoDepth;
      result.depth_m[i] = estimate.depth_m;
      result.confidence[i] = estimate.confidence;
    }
  }

 private:
  at::Tensor cost_, index_, before_, after_, last_, sum_;
};

void sweep_with_torch(const Input& input, const Options& options, Result& result) {
  const c10::InferenceMode inference;
  at::set_num_threads(thread_count());
  const std::int64_t depths = options.depths;
  at::Tensor volume;
  const TorchSweep sweep(input, options, result);
  TorchWinner winner(result.height_px, result.width_px, sweep.device());
  {
    const StageScope scope("build_cost_volume");
    if (options.keep_volume)
      volume = at::empty({depths, result.height_px, result.width_px},
                         at::TensorOptions(at::kFloat).device(sweep.device()));
    result.kernel_calls = 0;
    for (std::int64_t first = 0; first < depths; first += options.batch, ++result.kernel_calls) {
      const std::int64_t batch = std::min<std::int64_t>(options.batch, depths - first);
      const at::Tensor costs = sweep.costs(first, batch);
      for (std::int64_t k = 0; k < batch; ++k) winner.feed(costs[k], first + k);
      if (options.keep_volume) volume.narrow(0, first, batch).copy_(costs);
    }
  }
  const StageScope scope("extract_depth");
  winner.finish(result, input.even_in_inverse);
  if (!options.keep_volume) return;
  const at::Tensor host = volume.permute({1, 2, 0}).contiguous().cpu();
  result.volume.assign(host.data_ptr<float>(), host.data_ptr<float>() + host.numel());
}

}  // namespace

void run_torch_kernel(const Input& input, const Options& options, Result& result) {
  try {
    sweep_with_torch(input, options, result);
  } catch (const c10::Error& error) {  // out of memory, an invalid device number
    const std::string message = error.what_without_backtrace();
    throw method_error("torch kernel on {}: {}", options.device, message.substr(0, message.find('\n')));
  }
}

}  // namespace aqbench::plane_sweep

extern "C" const aqbench::plane_sweep::TorchKernelTable aqbench_torch_kernel_table;
const aqbench::plane_sweep::TorchKernelTable aqbench_torch_kernel_table = {
    .run = &aqbench::plane_sweep::run_torch_kernel};
