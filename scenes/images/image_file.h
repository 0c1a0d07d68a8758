#pragma once
// What the bytes of an image file say of themselves, read without decoding a pixel.

#include <filesystem>
#include <string>
#include <string_view>

namespace aqbench {

// The image files that are read.
enum class ImageFormat { png, jpeg, tiff };

// Size and depth of an image file.
struct ImageInfo {
  ImageFormat format = ImageFormat::png;
  int width_px = 0, height_px = 0;
  int bits = 8;  // of a channel: 8 or 16; fewer count as 8
};

// Returns whether the name ends as an image's does: .png, .jpg, .jpeg, .tif, .tiff, in any case.
bool is_image_name(const std::filesystem::path& file);

// Reads the header of an image file and whether the file is whole: of a PNG file every chunk with its check
// sum up to IEND, of a JPEG file every segment up to EOI, of a TIFF file that its strips or tiles lie in it.
// Errors name `file`. Throws Error(input) for another format, a file that is cut short or damaged, samples of
// neither 8 nor 16 bits, and an orientation other than upright (EXIF of PNG and JPEG, TIFF's own): its pixels
// would not be where a calibration has them, or would be, depending on the reader.
ImageInfo inspect_image(std::string_view bytes, const std::string& file);

}  // namespace aqbench
