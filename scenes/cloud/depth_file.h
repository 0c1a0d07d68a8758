#pragma once
// Reads depth maps that other programs wrote. What a value is (along the ray or along z, in which unit) is in
// no file: whoever reads must be told.

#include <filesystem>
#include <vector>

namespace aqbench {

// An image of depths in the file's unit, row by row from the top. Where there is none, a value is 0, NaN or
// infinite, as the file has it.
struct DepthImage {
  int width = 0, height = 0;
  std::vector<float> values;  // width * height
  bool counts = false;        // whole numbers of an unknown size (PNG): useless without a scale
};

// Reads a depth map, by content:
// - NPY: rows x columns, or rows x columns x 1, of float32 or float64 in C or Fortran order
// - PFM with one channel (Debevec, "PF format"), of either byte order; its rows go from the bottom up
// - COLMAP's .bin of dense stereo: "WIDTH&HEIGHT&1&" and float32
// - PNG with one channel of 16 bits
// Throws Error(input), one line with the file, for anything else and for more than 2^28 pixels.
DepthImage read_depth_image(const std::filesystem::path& path);

}  // namespace aqbench
