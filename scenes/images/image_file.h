#pragma once
// Image files: their properties without decoding pixels, and their pixels by libpng, libjpeg and libtiff.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace aqbench {

// An image of depths in the file's unit, row by row from the top. Missing values are 0, NaN or infinite, as
// in the file.
struct DepthImage {
  int width = 0, height = 0;
  std::vector<float> values;   // width * height
  bool counts = false;         // integers of unknown scale (NPY, PNG, TIFF): useless without a scale
  std::string channel = {};    // of an OpenEXR file, which was read
  std::size_t far_values = 0;  // how many drop_far_values() made to NaN
};

// Makes to NaN what programs write where there is nothing, and returns how many values: lengths of 1e9 and
// more; where no value is larger, 65535 and, of lengths, 65504, the largest numbers of 16 bits; and the
// largest value where two pixels or more have it and it is more than ten times the next one, as a renderer's
// far plane is. What is not finite or not positive is no depth anyway.
std::size_t drop_far_values(std::span<float> values, bool counts);

// Throws Error(input), one line that starts with `name`, where data of so many bytes cannot be packed into
// those of the file: Deflate packs at most 1032 to 1. Asked before memory is taken.
void check_packing(std::uint64_t unpacked_bytes, std::size_t packed_bytes, const std::string& name);

// Returns an image of that size without values yet. Throws Error(input), one line that starts with `name`,
// for a size that is not from 1 to 2^28 pixels.
DepthImage depth_image_of_size(const std::string& name, std::uint64_t width, std::uint64_t height);

// An image of three channels, row by row from the top: red, green, blue.
struct RgbImage {
  int width = 0, height = 0;
  bool deep = false;                 // samples of 16 bits in the processor's byte order, not of 8
  std::vector<unsigned char> bytes;  // 3 * width * height samples
};

// Receives such an image row by row, so that it is never in memory as a whole: `begin` once, then `take` each
// row.
struct RgbRows {
  std::function<void(int width, int height, bool deep)> begin;
  std::function<void(const unsigned char* row)> take;  // 3 * width samples; must not throw
};

// Returns the whole image that `read` passes on.
RgbImage collect_rows(const std::function<void(const RgbRows&)>& read);

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

// Returns the image of that name, with one of these endings in small or capital letters, in a folder; empty
// if there is none.
std::filesystem::path find_image(const std::filesystem::path& folder, const std::string& name);

// Reads the header of an image file and checks that the file is complete: for PNG every chunk with its
// checksum up to IEND, for JPEG every segment up to EOI, for TIFF that its strips or tiles lie in the file.
// Errors name `file`. Throws Error(input) for another format, a truncated or damaged file, samples of neither
// 8 nor 16 bits, and an orientation other than upright (EXIF of PNG and JPEG, TIFF's own), which only some
// readers apply, moving pixels relative to the calibration.
ImageInfo inspect_image(std::string_view bytes, const std::string& file);

// ---- PNG files, by libpng ----

// Returns a grey image as PNG bytes with three equal channels of 8 or 16 bits. `values` are row-major, width
// * height. Throws Error(io) if it cannot be encoded.
std::string encode_png(int width, int height, int bits, std::span<const std::uint16_t> values);

// Returns a colour image as PNG bytes. Throws Error(io) if it cannot be encoded.
std::string encode_png(RgbImage image);

// Decodes a PNG file: grey and palettes become colours, transparency is dropped, fewer than 8 bits are
// widened. Takes the memory of one row, of an interlaced file that of all. Throws Error(input), one line that
// starts with `name`, for damaged data.
void read_rgb_png(std::string_view bytes, const std::string& name, const RgbRows& rows);
RgbImage decode_rgb_png(std::string_view bytes, const std::string& name);

// Returns whether a file is a PNG with an alpha channel, by its first bytes.
bool has_png_alpha(const std::filesystem::path& file);

// Decodes a PNG file as a mask, row by row: which pixels count, those that are neither black nor transparent.
// Where all others are black, only transparency says it; of a palette whose pixels are all neither, number 0
// does not count. Throws Error(input), one line that starts with `name`, for damaged data.
std::vector<bool> decode_png_mask(std::string_view bytes, const std::string& name);

// Decodes a PNG file of one channel of 16 bits as counts. Throws Error(input), one line that starts with
// `name`, for other channels and bits, damaged data, and an image that is stored turned.
DepthImage decode_png_depths(std::string_view bytes, const std::string& name);

// ---- JPEG files, and damage that decodes to grey pixels without an error, by libjpeg ----

// Decodes a JPEG file; grey and CMYK become colours. Throws Error(input), one line that starts with `name`,
// where libjpeg finds no image, and std::bad_alloc. Damage inside the data gives pixels: find_jpeg_damage().
RgbImage decode_rgb_jpeg(std::string_view bytes, const std::string& name);

// Returns a colour image of 8 bits as JPEG bytes, `quality` 1 to 100. Throws Error(io) if it cannot be
// encoded.
std::string encode_jpeg(const RgbImage& image, int quality);

// Decodes the compressed data of a JPEG file, but not the pixels, by libjpeg. Returns libjpeg's message about
// corrupt data; empty if there is none. Finds lost blocks, but often not changed bits, since most codes are
// valid. Accepts zero padding before a marker, as some cameras write. Takes two bytes of memory per value of
// the size in the header: check that size first. Throws std::bad_alloc.
std::string find_jpeg_damage(std::string_view bytes);

// ---- TIFF files, by libtiff ----

// Decodes the first image of a TIFF file: 8 bits of any colours that libtiff knows, or 16 bits of grey, RGB
// or RGBA, whose values are taken as they are stored. Takes the memory of a strip or a row of tiles, of tiles
// with 16 bits that of all. Throws Error(input), one line that starts with `name`, for 16 bits in planes or
// white at 0, and damaged data.
void read_rgb_tiff(std::string_view bytes, const std::string& name, const RgbRows& rows);
RgbImage decode_rgb_tiff(std::string_view bytes, const std::string& name);

// Decodes a TIFF file with one image of one channel, in strips or tiles, by any compression that libtiff has:
// floats of 32 or 64 bits, or counts of 16 bits. Throws Error(input), one line that starts with `name`, for
// other samples, several images or channels, an orientation other than upright, and damaged data.
DepthImage decode_tiff_depths(std::string_view bytes, const std::string& name);

}  // namespace aqbench
