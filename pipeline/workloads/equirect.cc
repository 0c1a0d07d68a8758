#include "pipeline/workloads/equirect.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

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

AQBENCH_MULTIVERSION
void sample_taps(const TapTable::Tap* taps, std::size_t count, const std::uint8_t* frame, std::uint8_t* out) {
  for (std::size_t i = 0; i < count; ++i) {
    const TapTable::Tap& tap = taps[i];
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

}  // namespace

std::array<double, 3> view_direction(const ViewGeometry& geometry, int view, int x, int y) {
  const double focal = focal_px(geometry), middle = 0.5 * geometry.view_px;
  const double right = (x + 0.5 - middle) / focal, up = -(y + 0.5 - middle) / focal;
  const double length = std::sqrt(right * right + up * up + 1);
  const double yaw = kTurn * view / geometry.views;
  const double sine = std::sin(yaw), cosine = std::cos(yaw);
  return {(right * cosine + sine) / length, up / length, (cosine - right * sine) / length};
}

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

std::array<double, 3> sphere_colour(std::uint64_t seed, int frame, const std::array<double, 3>& direction) {
  return colour_of(sphere_waves(seed, frame), direction);
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

double sampling_tolerance(const ViewGeometry& geometry) {
  const double pixel = kTurn / geometry.frame_width_px;
  // Both roundings, then the bound of bilinear interpolation on both axes.
  return 1.05 + 2 * pixel * pixel / 8 * (kFastestWave * kFastestWave + kFastestWave) * kAmplitude * kWaves;
}

TapTable make_taps(const ViewGeometry& geometry, const ViewGrid& grid) {
  const int width = geometry.frame_width_px, height = width / 2;
  TapTable table;
  table.taps.resize(grid.column_px.size());
  parallel_for(table.taps.size(), 16384, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const double column = std::floor(grid.column_px[i]), row = std::floor(grid.row_px[i]);
      const int left = (static_cast<int>(column) + width) % width, right = (left + 1) % width;
      const int top = static_cast<int>(row), bottom = std::min(top + 1, height - 1);
      const auto offset = [&](int x, int y) { return 3 * (y * width + x); };
      table.taps[i] = {offset(left, top),
                       offset(right, top),
                       offset(left, bottom),
                       offset(right, bottom),
                       static_cast<std::int16_t>(std::lround((grid.column_px[i] - column) * kWeightOne)),
                       static_cast<std::int16_t>(std::lround((grid.row_px[i] - row) * kWeightOne))};
    }
  });
  return table;
}

std::vector<ColourImage> sample_fused(const ViewGeometry& geometry, const TapTable& taps,
                                      const std::vector<const ColourImage*>& frames) {
  const auto views = static_cast<std::size_t>(geometry.views);
  const std::size_t pixels = taps.taps.size() / views;
  std::vector<ColourImage> out(frames.size() * views);
  parallel_for(out.size(), 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      out[i] = {geometry.view_px, geometry.view_px, std::vector<std::uint8_t>(3 * pixels)};
      sample_taps(taps.taps.data() + (i % views) * pixels, pixels, frames[i / views]->bytes.data(),
                  out[i].bytes.data());
    }
  });
  return out;
}

}  // namespace aqbench
