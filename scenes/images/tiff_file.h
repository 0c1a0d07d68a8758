#pragma once
// Pixels and depths of TIFF files, by libtiff.

#include <string>
#include <string_view>

#include "scenes/images/pixels.h"

namespace aqbench {

// Decodes the first image of a TIFF file: 8 bits of any colours that libtiff knows, or 16 bits of grey, RGB
// or RGBA, whose values are taken as they are stored. Throws Error(input), one line that starts with `name`,
// for 16 bits in planes or white at 0, and damaged data.
RgbImage decode_rgb_tiff(std::string_view bytes, const std::string& name);

// Decodes a TIFF file with one image of one channel, in strips or tiles, by any compression that libtiff has:
// floats of 32 or 64 bits, or counts of 16 bits. Throws Error(input), one line that starts with `name`, for
// other samples, several images or channels, an orientation other than upright, and damaged data.
DepthImage decode_tiff_depths(std::string_view bytes, const std::string& name);

}  // namespace aqbench
