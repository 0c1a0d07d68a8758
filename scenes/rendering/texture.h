#pragma once
// What is painted on a surface: a grey value for each world (x, y).

#include <cstdint>
#include <vector>

namespace aqbench {

// How a texture looks.
struct TextureOptions {
  double rms_contrast = 0.15;  // standard deviation of the values; 0 is a uniform surface
  double mean = 0.5;
  double wavelength_min_m = 0.001;
  double wavelength_max_m = 0.020;
};
// Throws Error(usage) naming the field.
void check(const TextureOptions& options);

// Seeded Gaussian noise whose spectrum lies between the two wavelengths, equal in power per octave of
// wavelength. It is the sum of two square tiles that repeat with different periods (about 0.5 m) along
// directions that differ by an odd angle, so that the sum repeats nowhere within metres and a match of
// windows cannot lock on to a copy. Between the tiles' nodes: cubic B-splines.
// A pure function of (options, seed); values beyond [0, 1] are for the sensor to clip.
class Texture {
 public:
  Texture(const TextureOptions& options, std::uint64_t seed);

  double at(double x_m, double y_m) const;
  double mean() const { return options_.mean; }

 private:
  struct Tile {
    std::vector<float> coefficients;  // row-major, kTileNodes squared
    double cosine, sine;              // of its rotation, over the node spacing: 1/m
  };
  Tile make_tile(std::uint64_t seed, std::uint32_t number, double spacing_m) const;

  TextureOptions options_;
  std::vector<Tile> tiles_;  // none for contrast 0
};

}  // namespace aqbench
