#pragma once
// The texture of a surface: a grey value for each world (x, y).

#include <cstdint>
#include <span>
#include <vector>

#include "scenes/cloud/reconstruction.h"

namespace aqbench {

// Options of a texture.
struct TextureOptions {
  double rms_contrast = 0.15;  // standard deviation of the values; 0 is a uniform surface
  double mean = 0.5;
  double wavelength_min_m = 0.001;
  double wavelength_max_m = 0.020;
};
// Throws Error(usage) naming the field.
void check(const TextureOptions& options);

// A row of a strip of sixteen columns of a tile: a cache line.
struct alignas(64) TextureLine {
  float nodes[16];
};

// Seeded Gaussian noise with a spectrum between the two wavelengths, of equal power per octave. The sum of
// two square tiles with different periods (about 0.5 m), rotated by different odd angles, so that it does not
// repeat within metres and window matching cannot lock on to a copy. Cubic B-splines between the tiles'
// nodes. A pure function of (options, seed); the sensor clips values outside [0, 1].
class Texture {
 public:
  Texture(const TextureOptions& options, std::uint64_t seed);

  double at(double x_m, double y_m) const;
  // Sets the values of many places: the same.
  void at(std::span<const double> x_m, std::span<const double> y_m, std::span<double> values) const;
  double mean() const { return options_.mean; }

 private:
  struct Tile {
    std::vector<TextureLine> lines;  // of coefficients: strip after strip, row after row
    double cosine, sine;             // of its rotation, over the node spacing: 1/m
  };
  Tile make_tile(std::uint64_t seed, std::uint32_t number, double spacing_m) const;

  TextureOptions options_;
  std::vector<Tile> tiles_;  // none for contrast 0
};

// Returns the grey value at a place of a face: the texture in world coordinates, seen along the axis closest
// to the normal, so a face with a slope up to 0.87 looks like a surface by formula there, texture.at(x, y).
// Where two axes are about as close, their values are mixed at full contrast.
double paint_on_face(const Texture& texture, const Vec3& position_m, const Vec3& normal);

}  // namespace aqbench
