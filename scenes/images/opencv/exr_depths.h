#pragma once
// Reads depths of an OpenEXR file.

#include <string>
#include <string_view>

#include "scenes/images/pixels.h"

namespace aqbench {

// Decodes an OpenEXR image of scan lines, uncompressed or by any of the format's compressions, with half or
// float samples. Of several channels the one that is called Z, depth or V is taken, alone or after a layer's
// name and a dot. Throws Error(input), one line that starts with `name`, for several parts, tiles, deep data,
// channels that do not say which of them holds depths, and damaged data.
DepthImage decode_exr_depths(std::string_view bytes, const std::string& name);

}  // namespace aqbench
