#pragma once
// Reads depths of a TIFF file.

#include <string>
#include <string_view>

#include "scenes/images/images.h"

namespace aqbench {

// Decodes a TIFF file with one image of one channel, in strips or tiles, by any compression that libtiff has:
// floats of 32 or 64 bits, or counts of 16 bits. Throws Error(input), one line that starts with `name`, for
// other samples, several images or channels, an orientation other than upright, and damaged data.
DepthImage decode_tiff_depths(std::string_view bytes, const std::string& name);

}  // namespace aqbench
