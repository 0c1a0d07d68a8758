#pragma once
// Damage inside of a JPEG file, which OpenCV decodes to grey without a word.

#include <string>
#include <string_view>

namespace aqbench {

// Decodes the compressed data of a JPEG file, not the pixels, by libjpeg. Returns in its words what it calls
// corrupt; empty where there is nothing. A lost block is found; a changed bit often is not, since most codes
// are valid. Zero bytes before a marker, with which some cameras fill up, are no damage. Takes
// two bytes for each value of the size that the file says: look at that first. Throws std::bad_alloc.
std::string find_jpeg_damage(std::string_view bytes);

}  // namespace aqbench
