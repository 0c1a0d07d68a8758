#pragma once
// Image files and Fourier transforms by OpenCV, libjpeg, libtiff and OpenEXR, in a module (core/module.h).

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace aqbench {

// Returns a grey image as PNG bytes with three equal channels of 8 or 16 bits. `values` are row-major, width
// * height. Throws Error(io) if it cannot be encoded, Error(input) if the module is not installed.
std::string encode_png(int width, int height, int bits, std::span<const std::uint16_t> values);

// Returns the real part of the inverse Fourier transform of a square of complex amplitudes, without the
// factor 1 / n^2. Row-major: `re_im` holds n * n pairs (real, imaginary) that are conjugate-symmetric; the
// result holds n * n values. Throws Error(input) where the module is not installed.
std::vector<float> inverse_real_dft(int n, std::span<const float> re_im);

// An image of depths in the file's unit, row by row from the top. Missing values are 0, NaN or infinite, as
// in the file.
struct DepthImage {
  int width = 0, height = 0;
  std::vector<float> values;  // width * height
  bool counts = false;        // integers of unknown scale (PNG, TIFF): useless without a scale
};

// Returns an image of that size without values yet. Throws Error(input), one line that starts with `name`,
// for a size that is not from 1 to 2^28 pixels.
DepthImage depth_image_of_size(const std::string& name, std::uint64_t width, std::uint64_t height);

// Decodes the depths of an OpenEXR file, or of a TIFF file where `exr` is false. Throws Error(input), one
// line that starts with `name`, for what holds no depths, damaged data, and where the module is not
// installed.
DepthImage decode_depths(bool exr, std::string_view bytes, const std::string& name);

// A grey image, row by row from the top.
struct GreyImage {
  int width = 0, height = 0;
  std::vector<float> values;  // width * height, 0 (black) to 1
};

// Decodes a PNG, JPEG or TIFF file of 8 or 16 bits a channel as 0.114 B + 0.587 G + 0.299 R. Throws
// Error(input), one line that starts with `name`, for what is no such image (inspect_image()) or of another
// size, before memory for its pixels is asked for, and where the module is not installed.
GreyImage decode_grey(std::string_view bytes, int width_px, int height_px, const std::string& name);

// Returns an image of 8 or 16 bits with its colours as PNG bytes, made smaller by a whole factor: each pixel
// is the mean of factor x factor ones, what is left over at the right and at the bottom falls away. Throws
// Error(input), one line that starts with `name`, for what is no such image or smaller than the factor, and
// where the module is not installed.
std::string shrink_image(std::string_view bytes, int factor, const std::string& name);

// Decodes a JPEG file as far as to find damage in its compressed data. Returns what libjpeg calls corrupt, or
// an empty text: JPEG has no check sums, and a changed bit may make another valid image. Throws Error(input)
// where the module is not installed.
std::string jpeg_damage(std::string_view bytes);

// The functions of the module `images`.
struct ImagesTable {
  std::string (*encode_png)(int width, int height, int bits, std::span<const std::uint16_t> values);
  std::vector<float> (*inverse_real_dft)(int n, std::span<const float> re_im);
  DepthImage (*decode_exr_depths)(std::string_view bytes, const std::string& name);
  DepthImage (*decode_tiff_depths)(std::string_view bytes, const std::string& name);
  GreyImage (*decode_grey)(std::string_view bytes, const std::string& name);
  std::string (*shrink_image)(std::string_view bytes, int factor, const std::string& name);
  std::string (*jpeg_damage)(std::string_view bytes);
};

}  // namespace aqbench
