#pragma once
// Reads depth maps of other programs. Files do not say what their values are (along the ray or along z, in
// which unit): the caller must know.

#include <filesystem>

#include "scenes/images/images.h"

namespace aqbench {

// Reads a depth map, by content:
// - NPY: rows x columns, or rows x columns x 1, of float32 or float64, or integers as counts
// - PFM with one channel (Debevec, "PF format"), of either byte order; its rows go from the bottom up
// - COLMAP's .bin of dense stereo: "WIDTH&HEIGHT&1&" and float32
// - PNG with one channel of 16 bits
// - OpenEXR of scan lines with half or float samples; of several channels the one called Z, depth or V
// - TIFF with one channel: floats of 32 or 64 bits, or counts of 16 bits
// Throws Error(input), one line with the file, for anything else, for more than 2^28 pixels, and for
// OpenEXR where the module `images` is not installed.
DepthImage read_depth_image(const std::filesystem::path& path);

}  // namespace aqbench
