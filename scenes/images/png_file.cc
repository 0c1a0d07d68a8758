#include "scenes/images/image_file.h"

#include <png.h>

#include <algorithm>
#include <array>
#include <bit>
#include <csetjmp>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/text.h"

namespace aqbench {
namespace {

// What libpng reads or has written, and its message about an error.
struct PngBytes {
  std::string_view rest;
  std::string written = {};
  char message[160] = {};
};

void read_png_bytes(png_structp png, png_bytep to, std::size_t count) {
  auto& source = *static_cast<PngBytes*>(png_get_io_ptr(png));
  if (source.rest.size() < count) png_error(png, "the file ends inside the image");
  std::memcpy(to, source.rest.data(), count);
  source.rest.remove_prefix(count);
}

void write_png_bytes(png_structp png, png_bytep from, std::size_t count) {
  static_cast<PngBytes*>(png_get_io_ptr(png))->written.append(reinterpret_cast<const char*>(from), count);
}

void flush_no_png(png_structp) {}

// libpng requires that this function never returns.
void keep_png_error(png_structp png, png_const_charp message) {
  auto& source = *static_cast<PngBytes*>(png_get_error_ptr(png));
  std::snprintf(source.message, sizeof source.message, "%s", message);
  std::longjmp(png_jmpbuf(png), 1);  // NOLINT: the library's way
}

void ignore_png_warning(png_structp, png_const_charp) {}

struct PngSize {
  std::uint32_t width = 0, height = 0;
  int bits = 0, colour = 0;
  int channels = 0;  // as stored
  int interlace = PNG_INTERLACE_NONE;

  std::size_t sample_bytes() const { return bits == 16 ? 2 : 1; }
};

// As stored, with a byte for each number below 256 of a palette; as colours; as colours with transparency.
enum class PngPixels { none, stored, rgb, rgba };

// Chunks that nothing here looks at. libpng would unpack their texts and profiles, many megabytes of a few
// bytes.
constexpr png_byte kUnusedChunks[] = "iCCP\0zTXt\0iTXt\0tEXt\0sPLT\0hIST\0pCAL\0sCAL\0eXIf";

void ask_for(PngPixels pixels, png_structp png, const PngSize& size) {
  if (pixels == PngPixels::stored) return png_set_packing(png);
  if (size.bits == 16 && std::endian::native == std::endian::little) png_set_swap(png);
  if (pixels == PngPixels::rgb) {
    png_set_strip_alpha(png);
  } else {
    png_set_tRNS_to_alpha(png);
    png_set_add_alpha(png, 0xffff, PNG_FILLER_AFTER);
  }
  if (size.colour == PNG_COLOR_TYPE_PALETTE) png_set_palette_to_rgb(png);
  const bool grey = (size.colour & PNG_COLOR_MASK_COLOR) == 0;
  if (grey && size.bits < 8) png_set_expand_gray_1_2_4_to_8(png);
  if (grey) png_set_gray_to_rgb(png);
}

// Where pixels go: all of them into rows, or one row after the other into `line`, from where they are taken.
struct PngRows {
  unsigned char** rows = nullptr;
  unsigned char* line = nullptr;
  const RgbRows* taker = nullptr;
};

// Reads the header, and the pixels: as stored, with 16 bits in big-endian order, or as colours.
// Returns false with the reason in source.message. There is no object with a destructor here, since errors
// jump out of it.
bool run_png(PngBytes& source, PngSize& size, PngPixels pixels, const PngRows& to) {
  png_structp png =
      png_create_read_struct(PNG_LIBPNG_VER_STRING, &source, keep_png_error, ignore_png_warning);
  png_infop info = png != nullptr ? png_create_info_struct(png) : nullptr;
  if (info == nullptr) {
    png_destroy_read_struct(&png, nullptr, nullptr);
    return false;
  }
  if (setjmp(png_jmpbuf(png)) != 0) {  // NOLINT: the library's way
    png_destroy_read_struct(&png, &info, nullptr);
    return false;
  }
  png_set_read_fn(png, &source, read_png_bytes);
  png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER, kUnusedChunks, sizeof kUnusedChunks / 5);
  png_read_info(png, info);
  png_get_IHDR(png, info, &size.width, &size.height, &size.bits, &size.colour, &size.interlace, nullptr,
               nullptr);
  size.channels = png_get_channels(png, info);
  if (pixels != PngPixels::none) {
    ask_for(pixels, png, size);
    png_set_interlace_handling(png);
    png_read_update_info(png, info);
    if (to.rows != nullptr) png_read_image(png, to.rows);
    for (std::uint32_t y = 0; to.rows == nullptr && y < size.height; ++y) {
      png_read_row(png, to.line, nullptr);
      to.taker->take(to.line);
    }
    png_read_end(png, nullptr);
  }
  png_destroy_read_struct(&png, &info, nullptr);
  return true;
}

PngSize read_png_size(std::string_view bytes, const std::string& name) {
  PngBytes source{bytes};
  PngSize size;
  if (!run_png(source, size, PngPixels::none, {})) throw unreadable(name, "PNG: {}", source.message);
  return size;
}

void check_png_packing(const PngSize& size, std::string_view bytes, const std::string& name) {
  const auto pixel_bits = static_cast<std::uint64_t>(size.bits * size.channels);
  check_packing(std::uint64_t{size.width} * size.height * pixel_bits / 8, bytes.size(), name + ": PNG");
}

// Returns the samples, `pixel_bytes` for each pixel.
std::vector<unsigned char> read_png_pixels(std::string_view bytes, const std::string& name, PngPixels pixels,
                                           std::size_t pixel_bytes) {
  PngSize size = read_png_size(bytes, name);
  check_png_packing(size, bytes, name);
  const std::size_t line = size.width * pixel_bytes;
  std::vector<unsigned char> data(line * size.height);
  std::vector<unsigned char*> rows;
  for (std::size_t y = 0; y < size.height; ++y) rows.push_back(data.data() + line * y);
  PngBytes source{bytes};
  if (!run_png(source, size, pixels, {.rows = rows.data()}))
    throw unreadable(name, "PNG: {}", source.message);
  return data;
}

// Writes rows of three channels. Returns false where libpng fails. No destructors: see run_png().
bool write_png(PngBytes& target, const PngSize& size, unsigned char** rows) {
  png_structp png =
      png_create_write_struct(PNG_LIBPNG_VER_STRING, &target, keep_png_error, ignore_png_warning);
  png_infop info = png != nullptr ? png_create_info_struct(png) : nullptr;
  if (info == nullptr || setjmp(png_jmpbuf(png)) != 0) {  // NOLINT: the library's way
    png_destroy_write_struct(&png, &info);
    return false;
  }
  png_set_write_fn(png, &target, write_png_bytes, flush_no_png);
  png_set_compression_level(png, 1);
  png_set_compression_strategy(png, 0);
  png_set_IHDR(png, info, size.width, size.height, size.bits, PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_write_info(png, info);
  if (size.bits == 16 && std::endian::native == std::endian::little) png_set_swap(png);
  png_write_image(png, rows);
  png_write_end(png, info);
  png_destroy_write_struct(&png, &info);
  return true;
}

}  // namespace

std::string encode_png(int width, int height, int bits, std::span<const std::uint16_t> values) {
  RgbImage image{width, height, bits == 16, {}};
  image.bytes.resize((image.deep ? 6 : 3) * values.size());
  for (std::size_t i = 0; i < 3 * values.size(); ++i) {
    if (image.deep)
      std::memcpy(image.bytes.data() + 2 * i, &values[i / 3], 2);
    else
      image.bytes[i] = static_cast<unsigned char>(values[i / 3]);
  }
  return encode_png(std::move(image));
}

std::string encode_png(RgbImage image) {
  const PngSize size{static_cast<std::uint32_t>(image.width), static_cast<std::uint32_t>(image.height),
                     image.deep ? 16 : 8};
  std::vector<unsigned char*> rows;
  for (std::size_t y = 0; y < size.height; ++y)
    rows.push_back(image.bytes.data() + (image.deep ? 6 : 3) * size.width * y);
  PngBytes target;
  if (!write_png(target, size, rows.data())) throw io_error("PNG: {}", target.message);
  return std::move(target.written);
}

void read_rgb_png(std::string_view bytes, const std::string& name, const RgbRows& rows) {
  PngSize size = read_png_size(bytes, name);
  const std::size_t pixel_bytes = 3 * size.sample_bytes(), line_bytes = pixel_bytes * size.width;
  std::vector<unsigned char> data;
  const bool whole = size.interlace != PNG_INTERLACE_NONE;
  if (whole)
    data = read_png_pixels(bytes, name, PngPixels::rgb, pixel_bytes);
  else
    check_png_packing(size, bytes, name);
  rows.begin(static_cast<int>(size.width), static_cast<int>(size.height), size.bits == 16);
  if (whole) {
    for (std::size_t at = 0; at < data.size(); at += line_bytes) rows.take(data.data() + at);
    return;
  }
  data.resize(line_bytes);
  PngBytes source{bytes};
  if (!run_png(source, size, PngPixels::rgb, {.line = data.data(), .taker = &rows}))
    throw unreadable(name, "PNG: {}", source.message);
}

RgbImage decode_rgb_png(std::string_view bytes, const std::string& name) {
  return collect_rows([&](const RgbRows& rows) { read_rgb_png(bytes, name, rows); });
}

bool has_png_alpha(const std::filesystem::path& file) {
  constexpr std::string_view kSignature = "\x89PNG\r\n\x1a\n";
  constexpr std::size_t kColour = 25;  // its place in the header
  std::array<char, kColour + 1> start{};
  std::ifstream(file, std::ios::binary).read(start.data(), start.size());
  return std::string_view(start.data(), start.size()).starts_with(kSignature) &&
         (start[kColour] & PNG_COLOR_MASK_ALPHA) != 0;
}

std::vector<bool> decode_png_mask(std::string_view bytes, const std::string& name) {
  const PngSize size = read_png_size(bytes, name);
  const std::size_t sample = size.sample_bytes();
  const std::vector<unsigned char> data = read_png_pixels(bytes, name, PngPixels::rgba, 4 * sample);
  const auto is_any = [&](std::size_t from, std::size_t count) {
    return std::any_of(data.data() + from, data.data() + from + count,
                       [](unsigned char b) { return b != 0; });
  };
  std::vector<bool> counts(data.size() / (4 * sample)), opaque(counts.size());
  for (std::size_t i = 0; i < counts.size(); ++i) {
    opaque[i] = is_any((4 * i + 3) * sample, sample);
    counts[i] = opaque[i] && is_any(4 * i * sample, 3 * sample);
  }
  const auto all = [](const std::vector<bool>& of) { return std::ranges::find(of, false) == of.end(); };
  if (!all(opaque) && std::ranges::find(counts, true) == counts.end()) return opaque;
  if (size.colour != PNG_COLOR_TYPE_PALETTE || !all(counts)) return counts;
  const std::vector<unsigned char> numbers = read_png_pixels(bytes, name, PngPixels::stored, 1);
  for (std::size_t i = 0; i < counts.size(); ++i) counts[i] = numbers[i] != 0;
  return counts;
}

DepthImage decode_png_depths(std::string_view bytes, const std::string& name) {
  inspect_image(bytes, name);  // refuses one that is stored turned
  const PngSize size = read_png_size(bytes, name);
  if (size.bits != 16 || size.colour != PNG_COLOR_TYPE_GRAY)
    throw unreadable(name, "a PNG depth map must have one channel of 16 bits");
  DepthImage image = depth_image_of_size(name, size.width, size.height);
  const std::vector<unsigned char> data = read_png_pixels(bytes, name, PngPixels::stored, 2);
  image.values.resize(data.size() / 2);
  for (std::size_t i = 0; i < image.values.size(); ++i)
    image.values[i] = static_cast<float>(data[2 * i] * 256 + data[2 * i + 1]);
  image.counts = true;
  return image;
}

}  // namespace aqbench
