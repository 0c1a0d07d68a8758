#include "pipeline/workloads/equirect.h"

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
#include <cstddef>
#include <cstring>

#include "core/multiversion.h"
#include "core/parallel.h"
#include "core/random.h"

namespace aqbench {
namespace {

constexpr double kTurn = 6.283185307179586;
constexpr int kWaves = 6;
constexpr double kAmplitude = 18;   // of each wave, levels
constexpr double kFastestWave = 6;  // radians per unit of direction
constexpr int kWeightOne = 2048;

struct SphereWave {
  std::array<double, 3> vector;
  std::array<double, 3> phase;  // of each channel
};

std::array<SphereWave, kWaves> sphere_waves(std::uint64_t seed, int frame) {
  const RandomKey key{seed, RandomStream::workload_input};
  std::array<SphereWave, kWaves> waves;
  for (std::size_t i = 0; i < waves.size(); ++i) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const auto [direction, phase] = uniform01_pair(key, 3 * i + axis, 7);
      // Each component at most kFastestWave / sqrt(3), so that the vector is at most kFastestWave long.
      waves[i].vector[axis] = (2 * direction - 1) * kFastestWave / std::sqrt(3.0);
      waves[i].phase[axis] = kTurn * phase + 0.7 * frame * static_cast<double>(i + 1);
    }
  }
  return waves;
}

// The colour of a frame in one direction by formula: waves over the sphere without a seam. The direction is a
// unit vector (x right of longitude 0, y up, z towards it); channels are 0 to 255.
std::array<double, 3> colour_of(const std::array<SphereWave, kWaves>& waves,
                                const std::array<double, 3>& direction) {
  std::array<double, 3> colour = {127.5, 127.5, 127.5};
  for (const SphereWave& wave : waves) {
    const double angle =
        wave.vector[0] * direction[0] + wave.vector[1] * direction[1] + wave.vector[2] * direction[2];
    for (std::size_t c = 0; c < 3; ++c) colour[c] += kAmplitude * std::sin(angle + wave.phase[c]);
  }
  return colour;
}

double focal_px(const ViewGeometry& geometry) {
  return 0.5 * geometry.view_px / std::tan(geometry.fov_deg * kTurn / 720);
}

// The viewing direction of a pixel of a view, as a unit vector.
std::array<double, 3> view_direction(const ViewGeometry& geometry, int view, int x, int y) {
  const double focal = focal_px(geometry), middle = 0.5 * geometry.view_px;
  const double right = (x + 0.5 - middle) / focal, up = -(y + 0.5 - middle) / focal;
  const double length = std::sqrt(right * right + up * up + 1);
  const double yaw = kTurn * view / geometry.views;
  const double sine = std::sin(yaw), cosine = std::cos(yaw);
  return {(right * cosine + sine) / length, up / length, (cosine - right * sine) / length};
}

// The largest error, in levels, of a bilinear sample of an 8-bit frame, rounded again, against the formula.
double sampling_tolerance(const ViewGeometry& geometry) {
  const double pixel = kTurn / geometry.frame_width_px;
  // Both roundings, then the bound of bilinear interpolation on both axes.
  return 1.05 + 2 * pixel * pixel / 8 * (kFastestWave * kFastestWave + kFastestWave) * kAmplitude * kWaves;
}

AQBENCH_MULTIVERSION
void sample_taps(const Tap* taps, std::size_t count, const std::uint8_t* frame, std::uint8_t* out) {
  for (std::size_t i = 0; i < count; ++i) {
    const Tap& tap = taps[i];
    const int right = tap.right_weight, left = kWeightOne - right;
    const int bottom = tap.bottom_weight, top = kWeightOne - bottom;
    for (int c = 0; c < 3; ++c) {
      const int upper = left * frame[tap.top_left + c] + right * frame[tap.top_right + c];
      const int lower = left * frame[tap.bottom_left + c] + right * frame[tap.bottom_right + c];
      // 2048 x 2048 x 255 stays below 2^31; half a level is added to round.
      out[3 * i + static_cast<std::size_t>(c)] =
          static_cast<std::uint8_t>((top * upper + bottom * lower + (1 << 21)) >> 22);
    }
  }
}

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
  const auto waves = sphere_waves(seed, frame);
  const int side = geometry.view_px;
  for (int i = first; i < side * side; i += stride) {
    const auto direction = view_direction(geometry, view, i % side, i / side);
    const auto truth = colour_of(waves, direction);
    double error = 0;
    for (std::size_t c = 0; c < 3; ++c)
      error = std::max(error, std::abs(image.bytes[3 * static_cast<std::size_t>(i) + c] - truth[c]));
    errors.worst = std::max(errors.worst, error);
    const double from_seam = kTurn / 2 - std::abs(std::atan2(direction[0], direction[2]));
    if (from_seam * geometry.frame_width_px > kSeamReach_px * kTurn) continue;
    errors.worst_at_seam = std::max(errors.worst_at_seam, error);
    ++errors.seam_pixels;
  }
}

}  // namespace

ViewGrid make_view_grid(const ViewGeometry& geometry) {
  const auto side = static_cast<std::size_t>(geometry.view_px);
  const std::size_t pixels = side * side * static_cast<std::size_t>(geometry.views);
  const double width = geometry.frame_width_px, height = width / 2;
  ViewGrid grid{std::vector<float>(pixels), std::vector<float>(pixels)};
  parallel_for(pixels / side, 16, [&](std::size_t begin, std::size_t end) {
    for (std::size_t line = begin; line < end; ++line)
      for (std::size_t x = 0; x < side; ++x) {
        const auto d = view_direction(geometry, static_cast<int>(line / side), static_cast<int>(x),
                                      static_cast<int>(line % side));
        const double longitude = std::atan2(d[0], d[2]), latitude = std::asin(std::clamp(d[1], -1.0, 1.0));
        auto column = static_cast<float>((longitude / kTurn + 0.5) * width - 0.5);
        if (column >= static_cast<float>(width - 0.5)) column -= static_cast<float>(width);
        const double row = (0.5 - 2 * latitude / kTurn) * height - 0.5;
        grid.column_px[line * side + x] = column;
        grid.row_px[line * side + x] = static_cast<float>(std::clamp(row, 0.0, height - 1));
      }
  });
  return grid;
}

ColourImage make_frame(std::uint64_t seed, int frame, int width_px) {
  const auto waves = sphere_waves(seed, frame);
  ColourImage image{width_px, width_px / 2, {}};
  const auto width = static_cast<std::size_t>(width_px), height = width / 2;
  image.bytes.resize(3 * width * height);
  parallel_for(height, 8, [&](std::size_t begin, std::size_t end) {
    for (std::size_t y = begin; y < end; ++y) {
      const double latitude =
          (0.5 - (static_cast<double>(y) + 0.5) / static_cast<double>(height)) * kTurn / 2;
      for (std::size_t x = 0; x < width; ++x) {
        const double longitude = ((static_cast<double>(x) + 0.5) / static_cast<double>(width) - 0.5) * kTurn;
        const auto colour = colour_of(waves, {std::cos(latitude) * std::sin(longitude), std::sin(latitude),
                                              std::cos(latitude) * std::cos(longitude)});
        for (std::size_t c = 0; c < 3; ++c)
          image.bytes[3 * (y * width + x) + c] = static_cast<std::uint8_t>(std::lround(colour[c]));
      }
    }
  });
  return image;
}

std::vector<Tap> make_taps(const ViewGeometry& geometry, const ViewGrid& grid) {
  const int width = geometry.frame_width_px, height = width / 2;
  std::vector<Tap> taps(grid.column_px.size());
  parallel_for(taps.size(), 16384, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const double column = std::floor(grid.column_px[i]), row = std::floor(grid.row_px[i]);
      const int left = (static_cast<int>(column) + width) % width, right = (left + 1) % width;
      const int top = static_cast<int>(row), bottom = std::min(top + 1, height - 1);
      const auto offset = [&](int x, int y) { return 3 * (y * width + x); };
      taps[i] = {offset(left, top),
                 offset(right, top),
                 offset(left, bottom),
                 offset(right, bottom),
                 static_cast<std::int16_t>(std::lround((grid.column_px[i] - column) * kWeightOne)),
                 static_cast<std::int16_t>(std::lround((grid.row_px[i] - row) * kWeightOne))};
    }
  });
  return taps;
}

std::vector<ColourImage> sample_fused(const ViewGeometry& geometry, const std::vector<Tap>& taps,
                                      const std::vector<const ColourImage*>& frames) {
  const auto views = static_cast<std::size_t>(geometry.views);
  const std::size_t pixels = taps.size() / views;
  std::vector<ColourImage> out(frames.size() * views);
  parallel_for(out.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      out[i] = {geometry.view_px, geometry.view_px, std::vector<std::uint8_t>(3 * pixels)};
      sample_taps(taps.data() + (i % views) * pixels, pixels, frames[i / views]->bytes.data(),
                  out[i].bytes.data());
    }
  });
  return out;
}

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

ViewSampling torch_sampling(const ViewGeometry& geometry, const ViewGrid& grid,
                            const std::string& device_name, bool uint8_copy) {
  const c10::InferenceMode no_gradients;
  const c10::Device device(device_name);
  return [=, there = normalised_grid(geometry, grid).to(device)](
             const std::vector<const ColourImage*>& frames, StepLedger& ledger) {
    const c10::InferenceMode of_call;
    const at::Tensor host = ledger.time(Step::stack, [&] {
      at::Tensor stacked = stack_frames(frames);
      return uint8_copy ? stacked : to_planes(stacked);
    });
    const at::Tensor planes = ledger.time(Step::copy, [&] {
      const at::Tensor copied = host.to(device);
      return uint8_copy ? to_planes(copied) : copied;
    });
    const at::Tensor sampled = ledger.time(Step::sample, [&] { return sample_planes(planes, there); });
    return ledger.time(Step::convert, [&] {
      const at::Tensor bytes =
          at::clamp(at::round(sampled), 0, 255).to(at::kByte).permute({0, 2, 3, 1}).contiguous().cpu();
      const int side = geometry.view_px;
      const std::size_t size = 3 * static_cast<std::size_t>(side) * static_cast<std::size_t>(side);
      std::vector<ColourImage> out(frames.size() * static_cast<std::size_t>(geometry.views));
      for (std::size_t i = 0; i < out.size(); ++i) {
        const std::uint8_t* const from = bytes.data_ptr<std::uint8_t>() + i * size;
        out[i] = {side, side, std::vector<std::uint8_t>(from, from + size)};
      }
      return out;
    });
  };
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
