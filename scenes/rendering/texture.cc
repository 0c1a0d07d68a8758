#include "scenes/rendering/texture.h"

#include <algorithm>
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

using Four = float __attribute__((vector_size(16), aligned(4), may_alias));

// The four weights of a cubic B-spline at t in [0, 1) after the second node: s^3 / 6,
// (4 - 6 t^2 + 3 t^3) / 6, (4 - 6 s^2 + 3 s^3) / 6 and t^3 / 6 with s = 1 - t.
Four spline_weights(float t) {
  const float s = 1 - t;
  const Four u = {s, t, s, t};
  const Four cubes = Four{1, 3, 3, 1} * u * u * u, squares = Four{0, 6, 6, 0} * u * u;
  return (Four{0, 4, 4, 0} - squares + cubes) / 6;
}

// The attenuation of a wave of `cycles` per node by sampling a spline of unit coefficients at its nodes.
double spline_response(double cycles) { return (2 + std::cos(2 * std::numbers::pi * cycles)) / 3; }

// A tile is stored in strips of whole columns: a sample reads four floats of each of four lines, one after
// another. Strips overlap by the three columns that a sample reads beside its first one.
constexpr std::uint32_t kMask = kTileNodes - 1;
constexpr std::size_t kStripNodes = std::size(TextureLine{}.nodes), kStripStarts = kStripNodes - 3;

std::vector<TextureLine> in_strips(const std::vector<float>& tile) {
  std::vector<TextureLine> lines;
  lines.reserve((kTileNodes / kStripStarts + 1) * kTileNodes);
  for (std::size_t first = 0; first < kTileNodes; first += kStripStarts)
    for (std::size_t row = 0; row < kTileNodes; ++row) {
      TextureLine& line = lines.emplace_back();
      for (std::size_t i = 0; i < kStripNodes; ++i)
        line.nodes[i] = tile[row * kTileNodes + (first + i) % kTileNodes];
    }
  return lines;
}

// Where a sample lies on a tile: the first of its four lines and of its four nodes on each, and how far it is
// beyond the second node.
struct TilePlace {
  const TextureLine* strip;
  std::uint32_t row, node;
  float beyond_column, beyond_row;
};

TilePlace place_on_tile(const TextureLine* lines, double column, double row) {
  const double column_floor = std::floor(column), row_floor = std::floor(row);
  const auto first_column = static_cast<std::uint32_t>(static_cast<long long>(column_floor) - 1) & kMask;
  const auto first_row = static_cast<std::uint32_t>(static_cast<long long>(row_floor) - 1) & kMask;
  return {lines + std::size_t{first_column / kStripStarts} * kTileNodes, first_row,
          first_column % static_cast<std::uint32_t>(kStripStarts), static_cast<float>(column - column_floor),
          static_cast<float>(row - row_floor)};
}

const TextureLine& line_at(const TilePlace& place, std::uint32_t j) {
  return place.strip[(place.row + j) & kMask];
}

double tile_value(const TilePlace& place) {
  const Four wx = spline_weights(place.beyond_column), wy = spline_weights(place.beyond_row);
  const auto line = [&](std::uint32_t j) {
    return wx * *reinterpret_cast<const Four*>(line_at(place, j).nodes + place.node);
  };
  const Four a = line(0), b = line(1), c = line(2), d = line(3);
  // Transposed: the four lines are summed side by side, each in the order of its nodes.
  const Four ab = __builtin_shufflevector(a, b, 0, 4, 1, 5), cd = __builtin_shufflevector(c, d, 0, 4, 1, 5);
  const Four ab_end = __builtin_shufflevector(a, b, 2, 6, 3, 7),
             cd_end = __builtin_shufflevector(c, d, 2, 6, 3, 7);
  const Four along = __builtin_shufflevector(ab, cd, 0, 1, 4, 5) +
                     __builtin_shufflevector(ab, cd, 2, 3, 6, 7) +
                     __builtin_shufflevector(ab_end, cd_end, 0, 1, 4, 5) +
                     __builtin_shufflevector(ab_end, cd_end, 2, 3, 6, 7);
  float sum = 0;
  for (int j = 0; j < 4; ++j) sum += wy[j] * along[j];
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
  return {in_strips(real), std::cos(kRotations_rad[number]) / spacing_m,
          std::sin(kRotations_rad[number]) / spacing_m};
}

double Texture::at(double x_m, double y_m) const {
  double value = 0;
  at({&x_m, 1}, {&y_m, 1}, {&value, 1});
  return value;
}

// Lines are fetched for a block of samples before the first one is summed.
void Texture::at(std::span<const double> x_m, std::span<const double> y_m, std::span<double> values) const {
  constexpr std::size_t kBlock = 16;
  std::ranges::fill(values, options_.mean);
  std::array<TilePlace, kBlock> places;
  for (std::size_t first = 0; first < values.size(); first += kBlock)
    for (const Tile& tile : tiles_) {
      const std::size_t count = std::min(kBlock, values.size() - first);
      for (std::size_t i = 0; i < count; ++i) {
        const double x = x_m[first + i], y = y_m[first + i];
        places[i] = place_on_tile(tile.lines.data(), tile.cosine * x + tile.sine * y,
                                  tile.cosine * y - tile.sine * x);
        for (std::uint32_t j = 0; j < 4; ++j) __builtin_prefetch(&line_at(places[i], j));
      }
      for (std::size_t i = 0; i < count; ++i) values[first + i] += tile_value(places[i]);
    }
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
