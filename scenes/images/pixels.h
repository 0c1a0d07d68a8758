#pragma once
// Depths as an image.

#include <cstdint>
#include <string>
#include <vector>

namespace aqbench {

// An image of depths in the file's unit, row by row from the top. Missing values are 0, NaN or infinite, as
// in the file.
struct DepthImage {
  int width = 0, height = 0;
  std::vector<float> values;  // width * height
  bool counts = false;        // integers of unknown scale (NPY, PNG, TIFF): useless without a scale
};

// Returns an image of that size without values yet. Throws Error(input), one line that starts with `name`,
// for a size that is not from 1 to 2^28 pixels.
DepthImage depth_image_of_size(const std::string& name, std::uint64_t width, std::uint64_t height);

// An image of three channels, row by row from the top: red, green, blue.
struct RgbImage {
  int width = 0, height = 0;
  bool deep = false;                 // samples of 16 bits in the processor's byte order, not of 8
  std::vector<unsigned char> bytes;  // 3 * width * height samples
};

}  // namespace aqbench
