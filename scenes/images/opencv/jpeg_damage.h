#pragma once
// Finds damage in JPEG data that OpenCV decodes to grey pixels without an error.

#include <string>
#include <string_view>

namespace aqbench {

// Decodes the compressed data of a JPEG file, but not the pixels, by libjpeg. Returns libjpeg's message about
// corrupt data; empty if there is none. Finds lost blocks, but often not changed bits, since most codes are
// valid. Accepts zero padding before a marker, as some cameras write. Takes two bytes of memory per value of
// the size in the header: check that size first. Throws std::bad_alloc.
std::string find_jpeg_damage(std::string_view bytes);

}  // namespace aqbench
