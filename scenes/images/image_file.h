#pragma once
// Reads the properties of an image file without decoding pixels.

#include <filesystem>
#include <string>
#include <string_view>

namespace aqbench {

// The supported image formats.
enum class ImageFormat { png, jpeg, tiff };

// Size and depth of an image file.
struct ImageInfo {
  ImageFormat format = ImageFormat::png;
  int width_px = 0, height_px = 0;
  int bits = 8;  // of a channel: 8 or 16; fewer count as 8
};

// Returns whether the name has an image extension: .png, .jpg, .jpeg, .tif, .tiff, in any case.
bool is_image_name(const std::filesystem::path& file);

// Reads the header of an image file and checks that the file is complete: for PNG every chunk with its
// checksum up to IEND, for JPEG every segment up to EOI, for TIFF that its strips or tiles lie in the file.
// Errors name `file`. Throws Error(input) for another format, a truncated or damaged file, samples of neither
// 8 nor 16 bits, and an orientation other than upright (EXIF of PNG and JPEG, TIFF's own), which only some
// readers apply, moving pixels relative to the calibration.
ImageInfo inspect_image(std::string_view bytes, const std::string& file);

}  // namespace aqbench
