#pragma once
// Image files and Fourier transforms, done by OpenCV, which is in a module (core/module.h).

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace aqbench {

// Returns a grey image as the bytes of a PNG file with three equal channels of 8 or 16 bits. `values` are
// row-major, width * height. Throws Error(io) if it cannot be encoded, Error(input) where the module is not
// installed.
std::string encode_png(int width, int height, int bits, std::span<const std::uint16_t> values);

// Returns the real part of the inverse Fourier transform of a square of complex amplitudes, without the
// factor 1 / n^2. Row-major: `re_im` holds n * n pairs (real, imaginary) that are conjugate-symmetric; the
// result holds n * n values. Throws Error(input) where the module is not installed.
std::vector<float> inverse_real_dft(int n, std::span<const float> re_im);

// What the module `images` gives.
struct ImagesTable {
  std::string (*encode_png)(int width, int height, int bits, std::span<const std::uint16_t> values);
  std::vector<float> (*inverse_real_dft)(int n, std::span<const float> re_im);
};

}  // namespace aqbench
