#pragma once
// PNG files, by libpng.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "scenes/images/pixels.h"

namespace aqbench {

// Returns a grey image as PNG bytes with three equal channels of 8 or 16 bits. `values` are row-major, width
// * height. Throws Error(io) if it cannot be encoded.
std::string encode_png(int width, int height, int bits, std::span<const std::uint16_t> values);

// Returns a colour image as PNG bytes. Throws Error(io) if it cannot be encoded.
std::string encode_png(RgbImage image);

// Decodes a PNG file: grey and palettes become colours, transparency is dropped, fewer than 8 bits are
// widened. Throws Error(input), one line that starts with `name`, for damaged data.
RgbImage decode_rgb_png(std::string_view bytes, const std::string& name);

// Decodes a PNG file of one channel of 16 bits as counts. Throws Error(input), one line that starts with
// `name`, for other channels and bits, damaged data, and an image that is stored turned.
DepthImage decode_png_depths(std::string_view bytes, const std::string& name);

}  // namespace aqbench
