#pragma once
// Pixels of JPEG files, and damage that decodes to grey pixels without an error, by libjpeg.

#include <string>
#include <string_view>

#include "scenes/images/pixels.h"

namespace aqbench {

// Decodes a JPEG file; grey and CMYK become colours. Throws Error(input), one line that starts with `name`,
// where libjpeg finds no image, and std::bad_alloc. Damage inside the data gives pixels: find_jpeg_damage().
RgbImage decode_rgb_jpeg(std::string_view bytes, const std::string& name);

// Decodes the compressed data of a JPEG file, but not the pixels, by libjpeg. Returns libjpeg's message about
// corrupt data; empty if there is none. Finds lost blocks, but often not changed bits, since most codes are
// valid. Accepts zero padding before a marker, as some cameras write. Takes two bytes of memory per value of
// the size in the header: check that size first. Throws std::bad_alloc.
std::string find_jpeg_damage(std::string_view bytes);

}  // namespace aqbench
