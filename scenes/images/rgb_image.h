#pragma once
// Pixels of an image file before they become grey.

#include <vector>

namespace aqbench {

// An image of three channels, row by row from the top: red, green, blue.
struct RgbImage {
  int width = 0, height = 0;
  bool deep = false;                 // samples of 16 bits in the processor's byte order, not of 8
  std::vector<unsigned char> bytes;  // 3 * width * height samples
};

}  // namespace aqbench
