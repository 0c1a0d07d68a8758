#include "pipeline/workloads/synthetic_frames.h"

#include <algorithm>
#include <cmath>

#include "core/parallel.h"

namespace aqbench {
namespace {

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

}  // namespace aqbench
