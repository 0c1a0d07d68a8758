#include "scenes/images/opencv/tiff_depths.h"

#include <fmt/format.h>
#include <tiffio.h>

#include <algorithm>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <vector>

#include "core/error.h"
#include "core/text.h"

namespace aqbench {
namespace {

// A file in memory, as libtiff's callbacks see it.
struct TiffBytes {
  std::string_view bytes;
  std::uint64_t at = 0;
  char message[200] = {};  // what libtiff said first
};

tmsize_t read_tiff_bytes(thandle_t handle, void* to, tmsize_t count) {
  auto& source = *static_cast<TiffBytes*>(handle);
  if (source.at >= source.bytes.size() || count <= 0) return 0;
  const auto left = source.bytes.size() - source.at;
  const auto some = std::min<std::uint64_t>(static_cast<std::uint64_t>(count), left);
  std::memcpy(to, source.bytes.data() + source.at, some);
  source.at += some;
  return static_cast<tmsize_t>(some);
}

tmsize_t write_no_tiff_bytes(thandle_t, void*, tmsize_t) { return 0; }

toff_t seek_tiff_bytes(thandle_t handle, toff_t offset, int whence) {
  auto& source = *static_cast<TiffBytes*>(handle);
  const std::uint64_t base = whence == SEEK_CUR ? source.at : whence == SEEK_END ? source.bytes.size() : 0;
  source.at = base + offset;
  return source.at;
}

int close_no_tiff(thandle_t) { return 0; }

toff_t size_of_tiff(thandle_t handle) { return static_cast<TiffBytes*>(handle)->bytes.size(); }

// Stores libtiff's first message. Returning 1 keeps libtiff from printing it.
int keep_tiff_error(TIFF*, void* user_data, const char*, const char* format, va_list arguments) {
  auto& source = *static_cast<TiffBytes*>(user_data);
  if (source.message[0] == '\0') std::vsnprintf(source.message, sizeof source.message, format, arguments);
  return 1;
}

int drop_tiff_warning(TIFF*, void*, const char*, const char*, va_list) { return 1; }

using TiffHandle = std::unique_ptr<TIFF, void (*)(TIFF*)>;

[[noreturn]] void fail_tiff(const std::string& name, const std::string& what) {
  throw Error(ErrorKind::input, fmt::format("{}: TIFF: {}", name, escape_bytes(what)));
}

[[noreturn]] void fail_tiff_data(const std::string& name, const TiffBytes& source) {
  fail_tiff(name, source.message[0] != '\0' ? source.message : "the file is damaged");
}

TiffHandle open_tiff(TiffBytes& source, const std::string& name) {
  const std::unique_ptr<TIFFOpenOptions, void (*)(TIFFOpenOptions*)> options(TIFFOpenOptionsAlloc(),
                                                                             &TIFFOpenOptionsFree);
  if (!options) throw Error(ErrorKind::io, name + ": TIFF: out of memory");
  TIFFOpenOptionsSetErrorHandlerExtR(options.get(), &keep_tiff_error, &source);
  TIFFOpenOptionsSetWarningHandlerExtR(options.get(), &drop_tiff_warning, nullptr);
  // "m": the bytes are not mapped; "r": only read.
  TiffHandle tiff(
      TIFFClientOpenExt(name.c_str(), "rm", &source, &read_tiff_bytes, &write_no_tiff_bytes, &seek_tiff_bytes,
                        &close_no_tiff, &size_of_tiff, nullptr, nullptr, options.get()),
      &TIFFClose);
  if (!tiff) fail_tiff_data(name, source);
  return tiff;
}

// The type of a sample.
enum class TiffSample { float32, float64, count16 };

TiffSample sample_of(TIFF* tiff, const std::string& name) {
  std::uint16_t channels = 1, bits = 1, format = SAMPLEFORMAT_UINT, orientation = ORIENTATION_TOPLEFT;
  TIFFGetFieldDefaulted(tiff, TIFFTAG_SAMPLESPERPIXEL, &channels);
  TIFFGetFieldDefaulted(tiff, TIFFTAG_BITSPERSAMPLE, &bits);
  TIFFGetFieldDefaulted(tiff, TIFFTAG_SAMPLEFORMAT, &format);
  TIFFGetFieldDefaulted(tiff, TIFFTAG_ORIENTATION, &orientation);
  if (channels != 1) fail_tiff(name, fmt::format("a depth map has one channel, not {}", channels));
  if (orientation != ORIENTATION_TOPLEFT) fail_tiff(name, "rows must go from top to bottom");
  if (TIFFReadDirectory(tiff) != 0) fail_tiff(name, "several images; a depth map is one");
  if (TIFFSetDirectory(tiff, 0) == 0) fail_tiff(name, "cannot reread its first image");
  if (format == SAMPLEFORMAT_IEEEFP && bits == 32) return TiffSample::float32;
  if (format == SAMPLEFORMAT_IEEEFP && bits == 64) return TiffSample::float64;
  if (format == SAMPLEFORMAT_UINT && bits == 16) return TiffSample::count16;
  fail_tiff(
      name,
      fmt::format(
          "samples of {} bits{} are not supported; use floats of 32 or 64 bits or unsigned integers of 16",
          bits, format == SAMPLEFORMAT_INT ? ", signed," : ""));
}

std::size_t bytes_of(TiffSample sample) {
  return sample == TiffSample::float64 ? 8 : sample == TiffSample::float32 ? 4 : 2;
}

// Reads `count` samples as floats.
void append_samples(TiffSample sample, const unsigned char* from, std::size_t count, float* to) {
  for (std::size_t i = 0; i < count; ++i, from += bytes_of(sample)) {
    if (sample == TiffSample::float32) {
      std::memcpy(to + i, from, sizeof(float));
    } else if (sample == TiffSample::float64) {
      double value = 0;
      std::memcpy(&value, from, sizeof value);
      to[i] = static_cast<float>(value);
    } else {
      std::uint16_t value = 0;
      std::memcpy(&value, from, sizeof value);
      to[i] = value;
    }
  }
}

// Deflate packs at most 1032 to 1: refuses a size that the file cannot fill before allocating memory.
void check_packing(std::uint64_t unpacked_bytes, const TiffBytes& source, const std::string& name) {
  if (unpacked_bytes / 1032 > source.bytes.size()) fail_tiff(name, "the file is too short for its image");
}

// Decodes row by row, so memory follows the actual file content.
void read_tiff_rows(TIFF* tiff, TiffSample sample, const std::string& name, const TiffBytes& source,
                    DepthImage& image) {
  const auto width = static_cast<std::size_t>(image.width);
  const auto line_bytes = static_cast<std::size_t>(TIFFScanlineSize(tiff));
  if (line_bytes < width * bytes_of(sample)) fail_tiff_data(name, source);
  check_packing(line_bytes, source, name);
  std::vector<unsigned char> line(line_bytes);
  for (int y = 0; y < image.height; ++y) {
    if (TIFFReadScanline(tiff, line.data(), static_cast<std::uint32_t>(y), 0) != 1)
      fail_tiff_data(name, source);
    image.values.resize(image.values.size() + width);
    append_samples(sample, line.data(), width, image.values.data() + image.values.size() - width);
  }
}

void read_tiff_tiles(TIFF* tiff, TiffSample sample, const std::string& name, const TiffBytes& source,
                     DepthImage& image) {
  std::uint32_t tile_width = 0, tile_height = 0;
  TIFFGetField(tiff, TIFFTAG_TILEWIDTH, &tile_width);
  TIFFGetField(tiff, TIFFTAG_TILELENGTH, &tile_height);
  const auto tile_bytes = static_cast<std::uint64_t>(TIFFTileSize64(tiff));
  if (tile_width == 0 || tile_height == 0 ||
      tile_bytes != std::uint64_t{tile_width} * tile_height * bytes_of(sample) || tile_bytes >> 31U != 0)
    fail_tiff(name, "invalid tile size");
  const auto width = static_cast<std::uint32_t>(image.width),
             height = static_cast<std::uint32_t>(image.height);
  check_packing(tile_bytes, source, name);
  std::vector<unsigned char> tile(tile_bytes);
  for (std::uint32_t top = 0; top < height; top += std::min(tile_height, height - top)) {
    const std::uint32_t rows = std::min(tile_height, height - top);
    check_packing(std::uint64_t{rows} * width * sizeof(float), source, name);
    image.values.resize(image.values.size() + std::size_t{rows} * width);
    float* band = image.values.data() + std::size_t{top} * width;
    for (std::uint32_t left = 0; left < width; left += std::min(tile_width, width - left)) {
      if (TIFFReadTile(tiff, tile.data(), left, top, 0, 0) < 0) fail_tiff_data(name, source);
      for (std::uint32_t y = 0; y < rows; ++y)
        append_samples(sample, tile.data() + std::size_t{y} * tile_width * bytes_of(sample),
                       std::min(tile_width, width - left), band + std::size_t{y} * width + left);
    }
  }
}

}  // namespace

DepthImage decode_tiff_depths(std::string_view bytes, const std::string& name) {
  TiffBytes source{bytes};
  const TiffHandle tiff = open_tiff(source, name);
  const TiffSample sample = sample_of(tiff.get(), name);
  std::uint32_t width = 0, height = 0;
  TIFFGetField(tiff.get(), TIFFTAG_IMAGEWIDTH, &width);
  TIFFGetField(tiff.get(), TIFFTAG_IMAGELENGTH, &height);
  DepthImage image = depth_image_of_size(name, width, height);
  if (TIFFIsTiled(tiff.get()) != 0)
    read_tiff_tiles(tiff.get(), sample, name, source, image);
  else
    read_tiff_rows(tiff.get(), sample, name, source, image);
  image.counts = sample == TiffSample::count16;
  return image;
}

}  // namespace aqbench
