#include "scenes/rendering/texture.h"

#include <array>
#include <cmath>
#include <numbers>

#include "core/error.h"
#include "core/parallel.h"
#include "core/random.h"
#include "scenes/images/images.h"

namespace aqbench {
namespace {

constexpr int kTileNodes = 2048;  // a power of two: indices wrap by masking
// Nodes per shortest wavelength. The cubic B-spline's own spectrum is then below 1e-2 of the noise outside
// the band.
constexpr double kNodesPerWavelength = 4;
// Spacing ratio and rotations of the two tiles, chosen so that no small multiples of their periods coincide
// (tests/scenes/rendering/texture_test.cc).
constexpr double kSecondSpacing = 0.918;
constexpr std::array kRotations_rad = {0.35, 1.27};

// The four weights of a cubic B-spline at t in [0, 1) after the second node.
std::array<float, 4> spline_weights(float t) {
  const float s = 1 - t;
  return {s * s * s / 6, (4 - 6 * t * t + 3 * t * t * t) / 6, (4 - 6 * s * s + 3 * s * s * s) / 6,
          t * t * t / 6};
}

// The attenuation of a wave of `cycles` per node by sampling a spline of unit coefficients at its nodes.
double spline_response(double cycles) { return (2 + std::cos(2 * std::numbers::pi * cycles)) / 3; }

double tile_value(const float* coefficients, double column, double row) {
  const double column_floor = std::floor(column), row_floor = std::floor(row);
  const auto wx = spline_weights(static_cast<float>(column - column_floor));
  const auto wy = spline_weights(static_cast<float>(row - row_floor));
  constexpr long long kMask = kTileNodes - 1;
  const long long c = static_cast<long long>(column_floor), r = static_cast<long long>(row_floor);
  float sum = 0;
  for (int j = 0; j < 4; ++j) {
    const float* line = coefficients + ((r + j - 1) & kMask) * kTileNodes;
    float along = 0;
    for (int i = 0; i < 4; ++i) along += wx[static_cast<std::size_t>(i)] * line[(c + i - 1) & kMask];
    sum += wy[static_cast<std::size_t>(j)] * along;
  }
  return static_cast<double>(sum);
}

// Signed frequency of an index of the transform, cycles per tile.
int tile_frequency(int index) { return index <= kTileNodes / 2 ? index : index - kTileNodes; }

}  // namespace

void check(const TextureOptions& options) {
  const auto refuse = [](const char* field, double value, const char* rule) {
    throw usage_error("{}: {}, got {}", field, rule, value);
  };
  if (!(options.rms_contrast >= 0 && options.rms_contrast <= 1))
    refuse("rms_contrast", options.rms_contrast, "must lie in [0, 1]");
  if (!(options.mean >= 0 && options.mean <= 1)) refuse("mean", options.mean, "must lie in [0, 1]");
  if (!(options.wavelength_min_m > 0))
    refuse("wavelength_min_m", options.wavelength_min_m, "must be positive");
  // A longer wave is not noise on a tile; a shorter range is not a band.
  if (!(options.wavelength_max_m >= 1.5 * options.wavelength_min_m &&
        options.wavelength_max_m <= 100 * options.wavelength_min_m))
    refuse("wavelength_max_m", options.wavelength_max_m, "must be from 1.5 to 100 times wavelength_min_m");
}

Texture::Texture(const TextureOptions& options, std::uint64_t seed) : options_(options) {
  check(options);
  if (options.rms_contrast == 0) return;
  const double spacing_m = options.wavelength_min_m / kNodesPerWavelength;
  tiles_.push_back(make_tile(seed, 0, spacing_m));
  tiles_.push_back(make_tile(seed, 1, kSecondSpacing * spacing_m));
}

// Complex amplitudes of random phase and Rayleigh size for each wave within the band, transformed to the
// tile.
Texture::Tile Texture::make_tile(std::uint64_t seed, std::uint32_t number, double spacing_m) const {
  const double tile_m = kTileNodes * spacing_m;
  const double lowest = tile_m / options_.wavelength_max_m, highest = tile_m / options_.wavelength_min_m;
  const RandomKey key{seed, RandomStream::texture};
  std::vector<std::array<float, 2>> waves(std::size_t{kTileNodes} * kTileNodes);  // real and imaginary part
  std::vector<double> row_power(kTileNodes, 0.0);
  // One half of the plane; the other is the conjugate, so that the tile is real.
  parallel_for(kTileNodes, 16, [&](std::size_t begin, std::size_t end) {
    for (std::size_t row = begin; row < end; ++row) {
      const int fy = tile_frequency(static_cast<int>(row));
      for (int fx = 0; fx <= static_cast<int>(highest); ++fx) {
        if (fx == 0 && fy <= 0) continue;
        const double frequency = std::hypot(fx, fy);
        if (frequency < lowest || frequency > highest) continue;
        const auto [re, im] = normal_pair(key, row * kTileNodes + static_cast<std::size_t>(fx), number);
        // Power density 1 / f^2 in the plane is equal power per octave.
        row_power[row] += 2 * (re * re + im * im) / (frequency * frequency);
        const double scale = 1 / (frequency * spline_response(static_cast<double>(fx) / kTileNodes) *
                                  spline_response(static_cast<double>(fy) / kTileNodes));
        const std::array<float, 2> wave = {static_cast<float>(scale * re), static_cast<float>(scale * im)};
        const std::size_t column = static_cast<std::size_t>(fx);
        waves[row * kTileNodes + column] = wave;
        waves[(kTileNodes - row) % kTileNodes * kTileNodes + (kTileNodes - column) % kTileNodes] = {wave[0],
                                                                                                    -wave[1]};
      }
    }
  });
  double power = 0;
  for (const double of_row : row_power) power += of_row;
  std::vector<float> real = inverse_real_dft(kTileNodes, std::span(waves.front().data(), 2 * waves.size()));
  // The two tiles share the variance.
  const auto scale = static_cast<float>(options_.rms_contrast / std::sqrt(2 * power));
  for (float& value : real) value *= scale;
  return {std::move(real), std::cos(kRotations_rad[number]) / spacing_m,
          std::sin(kRotations_rad[number]) / spacing_m};
}

double Texture::at(double x_m, double y_m) const {
  double value = options_.mean;
  for (const Tile& tile : tiles_)
    value += tile_value(tile.coefficients.data(), tile.cosine * x_m + tile.sine * y_m,
                        tile.cosine * y_m - tile.sine * x_m);
  return value;
}

double paint_on_face(const Texture& texture, const Vec3& position_m, const Vec3& normal) {
  // Different offsets, so that the three do not mirror one another.
  constexpr double kApart_m = 0.173;
  // An axis counts above this share of the closest one: up to slopes of 0.87 only z does.
  constexpr double kShare = 0.75;
  const Vec3 squared = normal.cwiseAbs2();
  const Vec3 above = (squared.array() - kShare * squared.maxCoeff()).max(0.0).square();
  const Vec3 weights = above / above.sum();
  const double mean = texture.mean();
  double sum = 0, power = 0;
  const auto add = [&](double weight, double x_m, double y_m) {
    if (weight == 0) return;
    sum += weight * (texture.at(x_m, y_m) - mean);
    power += weight * weight;
  };
  add(weights.z(), position_m.x(), position_m.y());
  add(weights.x(), position_m.y() + kApart_m, position_m.z());
  add(weights.y(), position_m.x() + 2 * kApart_m, position_m.z());
  return mean + sum / std::sqrt(power);
}

}  // namespace aqbench
