#pragma once
// Finds damage inside of a JPEG file, which OpenCV decodes to grey pixels without an error.

#include <string>
#include <string_view>

namespace aqbench {

// Decodes the compressed data of a JPEG file, not the pixels, by libjpeg. Returns libjpeg's message about
// corrupt data; empty where there is none. A lost block is found; a changed bit often is not, since most
// codes are valid. Zero bytes before a marker, with which some cameras fill up, are no damage. It takes two
// bytes of memory for each value of the size that the file's header gives: check that size first. Throws
// std::bad_alloc.
std::string find_jpeg_damage(std::string_view bytes);

}  // namespace aqbench
