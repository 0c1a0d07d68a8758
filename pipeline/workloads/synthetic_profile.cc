#include "pipeline/workloads/synthetic_profile.h"

#include <ATen/ops/bmm.h>
#include <ATen/ops/cdist.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/grid_sampler.h>
#include <ATen/ops/linalg_eigh.h>
#include <ATen/ops/linspace.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/nonzero.h>
#include <ATen/ops/replication_pad2d.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <cmath>

#include "core/parallel.h"
#include "core/random.h"
#include "core/stage_scope.h"

namespace aqbench {
namespace {

// The distortion: distorted = undistorted (1 + kBarrel r^2), with r = sqrt(2) in the corners.
constexpr double kBarrel = 0.2;
// Each view sees a point at depth index d shifted along x by d times this many pixels.
constexpr int kSyntheticShift_px[kSyntheticViews] = {0, 1, -1, 2};
constexpr std::int64_t kSyntheticPoints = 10000;  // of the reconstructed surface

// Plane waves with directions and lengths without a common period, so the texture does not repeat.
struct TextureWave {
  double x_per_px, y_per_px, phase;  // radians
};
constexpr TextureWave kTextureWaves[] = {{0.412, 0.131, 0.3}, {-0.271, 0.334, 1.9}, {0.187, -0.219, 4.1},
                                         {0.093, 0.371, 2.7}, {0.339, -0.067, 5.2}, {0.118, 0.083, 0.9}};
// Of blue, green and red, with 0.114 B + 0.587 G + 0.299 R = 1.
constexpr double kChannelGain[3] = {0.9, 1.05, (1 - 0.114 * 0.9 - 0.587 * 1.05) / 0.299};

double texture_at(double x_px, double y_px) {
  double sum = 0;
  for (const TextureWave& wave : kTextureWaves)
    sum += std::sin(wave.x_per_px * x_px + wave.y_per_px * y_px + wave.phase);
  return 0.45 + 0.066 * sum;
}

struct Normalised {
  double x, y;  // -1 and 1 are the centres of the outermost pixels
};

Normalised normalised(const SyntheticFrames& frames, double x_px, double y_px) {
  return {2 * x_px / (frames.width_px - 1) - 1, 2 * y_px / (frames.height_px - 1) - 1};
}

// undistorted = distorted x this: the root of s (1 + k s^2 r^2) = 1, by Newton's method from 1.
double undistortion_scale(double r_squared) {
  double s = 1;
  for (int i = 0; i < 8; ++i)
    s -= (s * (1 + kBarrel * s * s * r_squared) - 1) / (1 + 3 * kBarrel * s * s * r_squared);
  return s;
}

constexpr std::int64_t kBilinear = 0, kZeros = 0;
constexpr std::int64_t kNeighbours = 10;

// Fills a contiguous float tensor; value(i) may run on any thread.
template <class Value>
void fill(const at::Tensor& tensor, const Value& value) {
  float* const out = tensor.data_ptr<float>();
  parallel_for(static_cast<std::size_t>(tensor.numel()), std::size_t{1} << 15,
               [&](std::size_t begin, std::size_t end) {
                 for (std::size_t i = begin; i < end; ++i) out[i] = value(i);
               });
}

// Normalised coordinates of every pixel: [1, height, width, 2].
at::Tensor pixel_grid(std::int64_t height, std::int64_t width) {
  const at::Tensor x = at::linspace(-1, 1, width, at::kFloat).view({1, width}).expand({height, width});
  const at::Tensor y = at::linspace(-1, 1, height, at::kFloat).view({height, 1}).expand({height, width});
  return at::stack({x, y}, 2).unsqueeze(0);
}

// Where each undistorted pixel lies in the distorted frame: [1, height, width, 2].
at::Tensor barrel_grid(std::int64_t height, std::int64_t width) {
  at::Tensor grid = pixel_grid(height, width);
  const at::Tensor stretch = grid.square().sum(3, true).mul_(kBarrel).add_(1);
  return grid.mul_(stretch);
}

void undistort(const SyntheticFrames& frames, SyntheticOutputs& out) {
  const StageScope stage("undistortion");
  const std::int64_t height = frames.height_px, width = frames.width_px;
  const at::Tensor grid = barrel_grid(height, width);
  for (int view = 0; view < kSyntheticViews; ++view) {
    const std::uint8_t* const bytes = frames.bgr[view].data();
    out.frames[view] = at::empty({1, 3, height, width}, at::kFloat);
    fill(out.frames[view], [&](std::size_t i) { return static_cast<float>(bytes[i]) * (1.0F / 255); });
    out.undistorted[view] = at::grid_sampler(out.frames[view], grid, kBilinear, kZeros, true);
  }
}

void match_sparsely(const SyntheticFrames& frames, RandomKey key, SyntheticOutputs& out) {
  const StageScope stage("sparse_matching");
  out.keypoints = at::empty({kSyntheticKeypoints, 2}, at::kFloat);
  fill(out.keypoints, [&](std::size_t i) {
    return static_cast<float>(uniform01(key, i, 0) * (i % 2 == 0 ? frames.width_px : frames.height_px));
  });
  out.descriptors = at::empty({kSyntheticKeypoints, kSyntheticDescriptor}, at::kFloat);
  fill(out.descriptors, [&](std::size_t i) { return static_cast<float>(normal_pair(key, i / 2, 1)[i % 2]); });
  out.descriptors.div_(out.descriptors.norm(2, 1, true));
  out.matches = at::nonzero(at::matmul(out.descriptors, out.descriptors.t()).gt(0.8));
}

at::Tensor grey_of(const at::Tensor& bgr) {
  const at::Tensor channels = bgr.squeeze(0);
  return channels[0].mul(0.114).add_(channels[1], 0.587).add_(channels[2], 0.299);
}

at::Tensor extract_depth(const at::Tensor& volume) {
  const StageScope stage("extract_depth");
  return volume.argmin(0).to(at::kFloat);
}

// Where the three sources see the reference's pixels at depth index d: an affine map whose linear part is
// one.
at::Tensor warp_grid(const at::Tensor& pixels, int d) {
  at::Tensor translation = at::zeros({3, 1, 1, 2}, at::kFloat);
  for (int source = 0; source < 3; ++source)
    translation.data_ptr<float>()[2 * source] = static_cast<float>(2.0 * kSyntheticShift_px[source + 1] * d /
                                                                   static_cast<double>(pixels.size(2) - 1));
  return pixels.add(translation);
}

void estimate_depth(const SyntheticFrames& frames, SyntheticOutputs& out) {
  const StageScope stage("depth_estimation");
  const std::int64_t height = frames.height_px, width = frames.width_px;
  out.grey_reference = grey_of(out.undistorted[0]);
  out.grey_sources =
      at::stack({grey_of(out.undistorted[1]), grey_of(out.undistorted[2]), grey_of(out.undistorted[3])})
          .unsqueeze(1);
  const at::Tensor pixels = pixel_grid(height, width);
  out.volume = at::empty({frames.depths, height, width}, at::kFloat);
  for (int d = 0; d < frames.depths; ++d) {
    const at::Tensor warped =
        at::grid_sampler(out.grey_sources, warp_grid(pixels, d), kBilinear, kZeros, true);
    out.volume.select(0, d).copy_(warped.squeeze(1).sub(out.grey_reference).abs_().mean(0));
  }
  out.depth = extract_depth(out.volume);
}

// Simulates the sweep from other reference views: the depths, with outliers at other places in each map.
at::Tensor map_with_outliers(const at::Tensor& depth, std::size_t map) {
  at::Tensor with_outliers = at::empty(depth.sizes(), at::kFloat);
  const float* const truth = depth.data_ptr<float>();
  fill(with_outliers, [&](std::size_t i) {
    const bool outlier = (i * 2654435761U >> 8) % 16 == map;
    return truth[i] + (outlier ? 5.0F : 0.0F);
  });
  return with_outliers;
}

at::Tensor median_3x3(const at::Tensor& map) {
  const std::int64_t height = map.size(0), width = map.size(1);
  const at::Tensor padded = at::replication_pad2d(map.view({1, 1, height, width}), {1, 1, 1, 1})[0][0];
  std::vector<at::Tensor> shifted;
  for (std::int64_t y = 0; y < 3; ++y)
    for (std::int64_t x = 0; x < 3; ++x) shifted.push_back(padded.narrow(0, y, height).narrow(1, x, width));
  // The window as the last dimension: nine neighbours in memory.
  return std::get<0>(at::stack(shifted, 2).median(2));
}

void fuse(SyntheticOutputs& out) {
  const StageScope stage("fusion");
  for (std::size_t map = 0; map < 3; ++map) out.depth_maps[map] = map_with_outliers(out.depth, map);
  const at::Tensor middle =
      std::get<0>(at::stack({out.depth_maps[0], out.depth_maps[1], out.depth_maps[2]}, 2).median(2));
  out.fused = median_3x3(middle);
}

// Points of the first band, on a tilted plane through its depth: [points, 3].
at::Tensor points_of(const SyntheticFrames& frames, const at::Tensor& fused, RandomKey key) {
  at::Tensor points = at::empty({kSyntheticPoints, 3}, at::kFloat);
  const auto depth = fused.accessor<float, 2>();
  float* const values = points.data_ptr<float>();
  for (std::size_t i = 0; i < static_cast<std::size_t>(kSyntheticPoints); ++i) {
    const auto [u, v] = uniform01_pair(key, i, 2);
    // Where all sources were seen: the middle half in x, most of the band in y.
    const double x = (0.35 + 0.3 * u) * frames.width_px, y = (0.12 + 0.1 * v) * frames.height_px;
    const float index = depth[static_cast<std::int64_t>(y)][static_cast<std::int64_t>(x)];
    values[3 * i] = static_cast<float>(x - 0.5 * frames.width_px);
    values[3 * i + 1] = static_cast<float>(y - 0.17 * frames.height_px);
    values[3 * i + 2] = index + 0.3F * values[3 * i] + 0.2F * values[3 * i + 1];
  }
  return points;
}

// Normal = the direction in which the nearest neighbours spread least.
at::Tensor normals_of(const at::Tensor& points) {
  at::Tensor normals = at::empty({kSyntheticPoints, 3}, at::kFloat);
  constexpr std::int64_t chunk = 1000;
  for (std::int64_t begin = 0; begin < kSyntheticPoints; begin += chunk) {
    const at::Tensor distances = at::cdist(points.narrow(0, begin, chunk), points);
    const at::Tensor nearest = std::get<1>(distances.topk(kNeighbours, 1, /*largest=*/false));
    const at::Tensor around = points.index_select(0, nearest.view({-1})).view({chunk, kNeighbours, 3});
    const at::Tensor centred = around.sub(around.mean(1, true));
    const at::Tensor covariance = at::bmm(centred.transpose(1, 2), centred);
    normals.narrow(0, begin, chunk).copy_(std::get<1>(at::linalg_eigh(covariance)).select(2, 0));
  }
  return normals;
}

void reconstruct_surface(const SyntheticFrames& frames, RandomKey key, SyntheticOutputs& out) {
  const StageScope stage("surface_reconstruction");
  out.points = points_of(frames, out.fused, key);
  out.normals = normals_of(out.points);
}

}  // namespace

int synthetic_depth(const SyntheticFrames& frames, double y_px) {
  const int band = std::clamp(static_cast<int>(4 * y_px / frames.height_px), 0, 3);
  return frames.depths * (2 * band + 1) / 8;
}

double synthetic_grey(const SyntheticFrames& frames, int view, double x_px, double y_px) {
  return texture_at(x_px - kSyntheticShift_px[view] * synthetic_depth(frames, y_px), y_px);
}

bool synthetic_visible(const SyntheticFrames& frames, double x_px, double y_px) {
  const auto [x, y] = normalised(frames, x_px, y_px);
  const double stretch = 1 + kBarrel * (x * x + y * y);
  return std::abs(x * stretch) < 0.999 && std::abs(y * stretch) < 0.999;
}

SyntheticFrames make_synthetic_frames(int width_px, int height_px, int depths) {
  SyntheticFrames frames;
  frames.width_px = width_px;
  frames.height_px = height_px;
  frames.depths = depths;
  const auto width = static_cast<std::size_t>(width_px), height = static_cast<std::size_t>(height_px);
  for (auto& bytes : frames.bgr) bytes.resize(3 * width * height);
  parallel_for(height, 8, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin * width; i < end * width; ++i) {
      const auto [x, y] = normalised(frames, static_cast<double>(i % width), static_cast<double>(i / width));
      const double scale = undistortion_scale(x * x + y * y);
      const double x_px = (x * scale + 1) / 2 * (width_px - 1), y_px = (y * scale + 1) / 2 * (height_px - 1);
      for (int view = 0; view < kSyntheticViews; ++view) {
        const double grey = synthetic_grey(frames, view, x_px, y_px);
        for (std::size_t channel = 0; channel < 3; ++channel)
          frames.bgr[view][channel * width * height + i] = static_cast<std::uint8_t>(
              std::lround(255 * std::clamp(grey * kChannelGain[channel], 0.0, 1.0)));
      }
    }
  });
  return frames;
}

SyntheticOutputs run_synthetic_profile(const SyntheticFrames& frames, std::uint64_t seed) {
  const RandomKey key{seed, RandomStream::synthetic_profile};
  SyntheticOutputs out;
  undistort(frames, out);
  match_sparsely(frames, key, out);
  estimate_depth(frames, out);
  fuse(out);
  reconstruct_surface(frames, key, out);
  return out;
}

}  // namespace aqbench
