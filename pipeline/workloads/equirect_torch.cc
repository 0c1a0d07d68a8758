#include "pipeline/workloads/equirect_torch.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/clamp.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/grid_sampler_2d.h>
#include <ATen/ops/round.h>
#include <c10/core/InferenceMode.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "pipeline/workloads/output_bytes.h"

namespace aqbench {
namespace {

constexpr int kSampleBilinear = 0, kSampleBorder = 1;  // grid_sampler_2d takes its modes as numbers

// [views x view, view, 2] for frames that have a wrapped column on either side.
at::Tensor normalised_grid(const ViewGeometry& geometry, const ViewGrid& grid) {
  at::Tensor tensor = at::empty({1, geometry.views * geometry.view_px, geometry.view_px, 2}, at::kFloat);
  auto* out = tensor.data_ptr<float>();
  const double width = geometry.frame_width_px + 2, height = geometry.frame_width_px / 2;
  for (std::size_t i = 0; i < grid.column_px.size(); ++i) {
    out[2 * i] = static_cast<float>((2 * (grid.column_px[i] + 1.0) + 1) / width - 1);
    out[2 * i + 1] = static_cast<float>((2.0 * grid.row_px[i] + 1) / height - 1);
  }
  return tensor;
}

// Compares one pixel in this many in frames between the first and the last. Odd, because lanes and tiles of a
// kernel are powers of two: an error in one lane must not slip through.
constexpr int kSparse = 17;
constexpr int kSeamReach_px = 2;  // columns on either side of +-180 degrees

// Errors against the formula, over all pixels and over those beside the seam.
struct ViewErrors {
  double worst = 0, worst_at_seam = 0, seam_pixels = 0;
};

// Compares every `stride`-th pixel from pixel `first` on.
void add_view_errors(const ViewGeometry& geometry, std::uint64_t seed, int frame, int view, int first,
                     int stride, const ColourImage& image, ViewErrors& errors) {
  constexpr double turn = 6.283185307179586;
  const int side = geometry.view_px;
  for (int i = first; i < side * side; i += stride) {
    const auto direction = view_direction(geometry, view, i % side, i / side);
    const auto truth = sphere_colour(seed, frame, direction);
    double error = 0;
    for (std::size_t c = 0; c < 3; ++c)
      error = std::max(error, std::abs(image.bytes[3 * static_cast<std::size_t>(i) + c] - truth[c]));
    errors.worst = std::max(errors.worst, error);
    const double from_seam = turn / 2 - std::abs(std::atan2(direction[0], direction[2]));
    if (from_seam * geometry.frame_width_px > kSeamReach_px * turn) continue;
    errors.worst_at_seam = std::max(errors.worst_at_seam, error);
    ++errors.seam_pixels;
  }
}

}  // namespace

struct TorchSampler::State {
  ViewGeometry geometry;
  TorchSamplerOptions options;
  c10::Device device{c10::kCPU};
  at::Tensor grid;
};

TorchSampler::TorchSampler(const ViewGeometry& geometry, const ViewGrid& grid,
                           const TorchSamplerOptions& options)
    : state_(std::make_unique<State>()) {
  const c10::InferenceMode no_gradients;
  state_->geometry = geometry;
  state_->options = options;
  state_->device = c10::Device(options.device);
  state_->grid = normalised_grid(geometry, grid).to(state_->device);
}

TorchSampler::~TorchSampler() = default;

namespace {

at::Tensor stack_frames(const std::vector<const ColourImage*>& frames) {  // [frame, y, x, 3] bytes
  const ColourImage& first = *frames.front();
  at::Tensor stacked =
      at::empty({static_cast<std::int64_t>(frames.size()), first.height_px, first.width_px, 3}, at::kByte);
  for (std::size_t i = 0; i < frames.size(); ++i)
    std::memcpy(stacked.data_ptr<std::uint8_t>() + i * first.bytes.size(), frames[i]->bytes.data(),
                first.bytes.size());
  return stacked;
}

at::Tensor to_planes(const at::Tensor& frames) {  // [frame, y, x, 3] -> [frame, 3, y, x] floats
  return frames.to(at::kFloat).permute({0, 3, 1, 2}).contiguous();
}

at::Tensor sample_planes(const at::Tensor& planes, const at::Tensor& grid) {
  const std::int64_t width = planes.size(3);
  const at::Tensor wrapped = at::cat({planes.slice(3, width - 1, width), planes, planes.slice(3, 0, 1)}, 3);
  const at::Tensor grids = grid.expand({planes.size(0), -1, -1, -1});
  return at::grid_sampler_2d(wrapped, grids, kSampleBilinear, kSampleBorder, /*align_corners=*/false);
}

}  // namespace

std::vector<ColourImage> TorchSampler::sample(const std::vector<const ColourImage*>& frames,
                                              StepLedger& ledger) {
  const c10::InferenceMode no_gradients;
  const TorchSamplerOptions& options = state_->options;
  const at::Tensor host = ledger.time(Step::stack, [&] {
    at::Tensor stacked = stack_frames(frames);
    return options.uint8_copy ? stacked : to_planes(stacked);
  });
  const at::Tensor planes = ledger.time(Step::copy, [&] {
    const at::Tensor there = host.to(state_->device);
    return options.uint8_copy ? to_planes(there) : there;
  });
  const at::Tensor sampled = ledger.time(Step::sample, [&] { return sample_planes(planes, state_->grid); });
  return ledger.time(Step::convert, [&] {
    const at::Tensor bytes =
        at::clamp(at::round(sampled), 0, 255).to(at::kByte).permute({0, 2, 3, 1}).contiguous().cpu();
    const auto views = static_cast<std::size_t>(state_->geometry.views);
    const int side = state_->geometry.view_px;
    const std::size_t size = 3 * static_cast<std::size_t>(side) * static_cast<std::size_t>(side);
    std::vector<ColourImage> out(frames.size() * views);
    for (std::size_t i = 0; i < out.size(); ++i) {
      const std::uint8_t* const from = bytes.data_ptr<std::uint8_t>() + i * size;
      out[i] = {side, side, std::vector<std::uint8_t>(from, from + size)};
    }
    return out;
  });
}

std::vector<Identity> view_identities(const ViewGeometry& geometry, int frames, std::uint64_t seed,
                                      const std::vector<ColourImage>& views, double more_tolerance) {
  const auto expected = static_cast<double>(frames * geometry.views);
  std::vector<Identity> identities = {{"views", static_cast<double>(views.size()), expected, 0}};
  ViewErrors errors;
  const auto per_frame = static_cast<std::size_t>(geometry.views);
  // The formula is slow: between the first and last frame it checks one pixel in 17, another one in each
  // frame.
  for (std::size_t i = 0; i < views.size(); ++i) {
    const std::size_t frame = i / per_frame;
    const auto size = 3 * static_cast<std::size_t>(geometry.view_px * geometry.view_px);
    if (views[i].bytes.size() != size) {
      identities.push_back(
          {"bytes_of_a_view", static_cast<double>(views[i].bytes.size()), static_cast<double>(size), 0});
      return identities;
    }
    const bool whole = frame == 0 || frame + 1 == static_cast<std::size_t>(frames);
    add_view_errors(geometry, seed, static_cast<int>(frame), static_cast<int>(i % per_frame),
                    whole ? 0 : static_cast<int>(frame % kSparse), whole ? 1 : kSparse, views[i], errors);
  }
  const double tolerance = sampling_tolerance(geometry) + more_tolerance;
  identities.push_back({"worst_error_levels", errors.worst, 0, tolerance});
  identities.push_back({"seam_worst_error_levels", errors.worst_at_seam, 0, tolerance});
  return identities;
}

std::string hash_of_views(const std::vector<ColourImage>& views) {
  std::string hashes;
  for (const ColourImage& view : views) hashes += sha256_of_values(view.bytes);
  return sha256_hex(hashes);
}

}  // namespace aqbench
