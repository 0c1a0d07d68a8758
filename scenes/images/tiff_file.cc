#include "scenes/images/image_file.h"

#include <tiffio.h>

#include <algorithm>
#include <cstdarg>
#include <cstdint>
#include <cstring>
#include <functional>
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

[[noreturn]] void fail_tiff_data(const std::string& name, const TiffBytes& source) {
  throw unreadable(name + ": TIFF", "{}", source.message[0] != '\0' ? source.message : "the file is damaged");
}

TiffHandle open_tiff(TiffBytes& source, const std::string& name) {
  const std::unique_ptr<TIFFOpenOptions, void (*)(TIFFOpenOptions*)> options(TIFFOpenOptionsAlloc(),
                                                                             &TIFFOpenOptionsFree);
  if (!options) throw io_error("{}: TIFF: out of memory", name);
  constexpr std::size_t kAtLeast = std::size_t{1} << 24U;
  TIFFOpenOptionsSetMaxSingleMemAlloc(  // Deflate packs at most 1032 to 1
      options.get(), static_cast<tmsize_t>(std::max(1032 * source.bytes.size(), kAtLeast)));
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
  if (channels != 1) throw unreadable(name + ": TIFF", "a depth map has one channel, not {}", channels);
  if (orientation != ORIENTATION_TOPLEFT)
    throw unreadable(name + ": TIFF", "rows must go from top to bottom");
  if (TIFFReadDirectory(tiff) != 0) throw unreadable(name + ": TIFF", "several images; a depth map is one");
  if (TIFFSetDirectory(tiff, 0) == 0) throw unreadable(name + ": TIFF", "cannot reread its first image");
  if (format == SAMPLEFORMAT_IEEEFP && bits == 32) return TiffSample::float32;
  if (format == SAMPLEFORMAT_IEEEFP && bits == 64) return TiffSample::float64;
  if (format == SAMPLEFORMAT_UINT && bits == 16) return TiffSample::count16;
  throw unreadable(
      name + ": TIFF",
      "samples of {} bits{} are not supported; use floats of 32 or 64 bits or unsigned integers of 16", bits,
      format == SAMPLEFORMAT_INT ? ", signed," : "");
}

std::size_t bytes_of(TiffSample sample) {
  return sample == TiffSample::float64 ? 8 : sample == TiffSample::float32 ? 4 : 2;
}

// Stores `count` samples as floats.
void store_samples(TiffSample sample, const unsigned char* from, std::size_t count, float* to) {
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

struct TiffShape {
  std::uint32_t width = 0, height = 0;
  std::size_t pixel_bytes = 0;
};

// Returns the size of the image, which may be that of its data: strips and tiles may all lie in one place of
// the file.
TiffShape shape_of(TIFF* tiff, std::uint64_t pixel_bits, const TiffBytes& source, const std::string& name) {
  TiffShape shape{.pixel_bytes = pixel_bits / 8};
  TIFFGetField(tiff, TIFFTAG_IMAGEWIDTH, &shape.width);
  TIFFGetField(tiff, TIFFTAG_IMAGELENGTH, &shape.height);
  check_packing(std::uint64_t{shape.width} * shape.height * pixel_bits / 8, source.bytes.size(),
                name + ": TIFF");
  return shape;
}

// Takes `count` pixels of one row, from column x of row y on.
using TakePixels = std::function<void(std::size_t x, std::size_t y, std::size_t count, const unsigned char*)>;

// Decodes row by row, so memory follows the actual file content.
void read_tiff_rows(TIFF* tiff, const TiffShape& shape, const std::string& name, const TiffBytes& source,
                    const TakePixels& take) {
  const auto line_bytes = static_cast<std::size_t>(TIFFScanlineSize(tiff));
  if (line_bytes < shape.width * shape.pixel_bytes) fail_tiff_data(name, source);
  std::vector<unsigned char> line(line_bytes);
  for (std::uint32_t y = 0; y < shape.height; ++y) {
    if (TIFFReadScanline(tiff, line.data(), y, 0) != 1) fail_tiff_data(name, source);
    take(0, y, shape.width, line.data());
  }
}

void read_tiff_tiles(TIFF* tiff, const TiffShape& shape, const std::string& name, const TiffBytes& source,
                     const TakePixels& take) {
  std::uint32_t tile_width = 0, tile_height = 0;
  TIFFGetField(tiff, TIFFTAG_TILEWIDTH, &tile_width);
  TIFFGetField(tiff, TIFFTAG_TILELENGTH, &tile_height);
  const auto tile_bytes = static_cast<std::uint64_t>(TIFFTileSize64(tiff));
  if (tile_width == 0 || tile_height == 0 ||
      tile_bytes != std::uint64_t{tile_width} * tile_height * shape.pixel_bytes || tile_bytes >> 31U != 0)
    throw unreadable(name + ": TIFF", "invalid tile size");
  check_packing(tile_bytes, source.bytes.size(), name + ": TIFF");
  std::vector<unsigned char> tile(tile_bytes);
  for (std::uint32_t top = 0; top < shape.height; top += std::min(tile_height, shape.height - top)) {
    const std::uint32_t rows = std::min(tile_height, shape.height - top);
    for (std::uint32_t left = 0; left < shape.width; left += std::min(tile_width, shape.width - left)) {
      if (TIFFReadTile(tiff, tile.data(), left, top, 0, 0) < 0) fail_tiff_data(name, source);
      for (std::uint32_t y = 0; y < rows; ++y)
        take(left, top + y, std::min(tile_width, shape.width - left),
             tile.data() + std::size_t{y} * tile_width * shape.pixel_bytes);
    }
  }
}

void read_tiff_pixels(TIFF* tiff, const TiffShape& shape, const std::string& name, const TiffBytes& source,
                      const TakePixels& take) {
  (TIFFIsTiled(tiff) != 0 ? read_tiff_tiles : read_tiff_rows)(tiff, shape, name, source, take);
}

// ---- Colours ----

struct TiffColours {
  std::uint16_t bits = 1, channels = 1, photometric = PHOTOMETRIC_MINISBLACK, planes = PLANARCONFIG_CONTIG,
                format = SAMPLEFORMAT_UINT;
};

TiffColours colours_of(TIFF* tiff) {
  TiffColours colours;
  TIFFGetFieldDefaulted(tiff, TIFFTAG_BITSPERSAMPLE, &colours.bits);
  TIFFGetFieldDefaulted(tiff, TIFFTAG_SAMPLESPERPIXEL, &colours.channels);
  TIFFGetFieldDefaulted(tiff, TIFFTAG_PLANARCONFIG, &colours.planes);
  TIFFGetFieldDefaulted(tiff, TIFFTAG_SAMPLEFORMAT, &colours.format);
  TIFFGetField(tiff, TIFFTAG_PHOTOMETRIC, &colours.photometric);
  return colours;
}

// Whether samples of 16 bits are kept; libtiff's own conversion of everything else gives 8.
bool is_deep(const TiffColours& colours) {
  return colours.bits == 16 && colours.photometric <= PHOTOMETRIC_RGB &&
         (colours.channels == 1 || colours.channels == 3 || colours.channels == 4);
}

void read_deep_colours(TIFF* tiff, const TiffColours& colours, const TiffShape& shape,
                       const std::string& name, const TiffBytes& source, const RgbRows& rows) {
  if (colours.planes != PLANARCONFIG_CONTIG && colours.channels > 1)
    throw unreadable(name + ": TIFF",
                     "planes of 16 bits are not supported; store the channels of a pixel together");
  if (colours.photometric == PHOTOMETRIC_MINISWHITE)
    throw unreadable(name + ": TIFF", "16 bits with white at 0 are not supported; store black as 0");
  const std::size_t channels = colours.channels, line_bytes = std::size_t{6} * shape.width;
  const bool whole = TIFFIsTiled(tiff) != 0;  // rows of tiles come in parts
  std::vector<unsigned char> data(line_bytes * (whole ? shape.height : 1));
  const auto take = [&](std::size_t x, std::size_t y, std::size_t count, const unsigned char* from) {
    unsigned char* to = data.data() + (whole ? y * line_bytes : 0) + 6 * x;
    for (std::size_t i = 0; i < count; ++i, from += 2 * channels)
      for (std::size_t channel = 0; channel < 3; ++channel, to += 2)
        std::memcpy(to, from + (channels == 1 ? 0 : 2 * channel), 2);
    if (!whole) rows.take(data.data());
  };
  read_tiff_pixels(tiff, shape, name, source, take);
  for (std::size_t at = 0; whole && at < data.size(); at += line_bytes) rows.take(data.data() + at);
}

// libtiff converts strip by strip or tile by tile, each from its bottom up.
void read_byte_colours(TIFF* tiff, const TiffShape& shape, std::uint64_t pixel_bits, const std::string& name,
                       const TiffBytes& source, const RgbRows& rows) {
  const bool tiled = TIFFIsTiled(tiff) != 0;
  std::uint32_t part_width = shape.width, part_height = 0;
  if (tiled) {
    TIFFGetField(tiff, TIFFTAG_TILEWIDTH, &part_width);
    TIFFGetField(tiff, TIFFTAG_TILELENGTH, &part_height);
  } else {
    TIFFGetFieldDefaulted(tiff, TIFFTAG_ROWSPERSTRIP, &part_height);
    part_height = std::min(part_height, shape.height);
  }
  if (part_width == 0 || part_height == 0) fail_tiff_data(name, source);
  check_packing(std::uint64_t{part_width} * part_height * pixel_bits / 8, source.bytes.size(),
                name + ": TIFF");
  const std::size_t line_bytes = std::size_t{3} * shape.width;
  std::vector<std::uint32_t> part(std::size_t{part_width} * part_height);
  std::vector<unsigned char> band(line_bytes * std::min(part_height, shape.height));
  for (std::uint32_t top = 0; top < shape.height; top += std::min(part_height, shape.height - top)) {
    const std::uint32_t count = std::min(part_height, shape.height - top);
    for (std::uint32_t left = 0; left < shape.width; left += std::min(part_width, shape.width - left)) {
      if ((tiled ? TIFFReadRGBATileExt(tiff, left, top, part.data(), 1)
                 : TIFFReadRGBAStripExt(tiff, top, part.data(), 1)) == 0)
        fail_tiff_data(name, source);
      for (std::uint32_t y = 0; y < count; ++y) {
        const std::size_t from = std::size_t{(tiled ? part_height : count) - 1 - y} * part_width;
        unsigned char* to = band.data() + y * line_bytes + std::size_t{3} * left;
        for (std::size_t x = 0; x < std::min(part_width, shape.width - left); ++x)
          for (const std::uint32_t value :
               {TIFFGetR(part[from + x]), TIFFGetG(part[from + x]), TIFFGetB(part[from + x])})
            *to++ = static_cast<unsigned char>(value);
      }
    }
    for (std::uint32_t y = 0; y < count; ++y) rows.take(band.data() + y * line_bytes);
  }
}

}  // namespace

void read_rgb_tiff(std::string_view bytes, const std::string& name, const RgbRows& rows) {
  TiffBytes source{bytes};
  const TiffHandle tiff = open_tiff(source, name);
  const TiffColours colours = colours_of(tiff.get());
  if (colours.format != SAMPLEFORMAT_UINT) throw unreadable(name + ": TIFF", "not an 8-bit or 16-bit image");
  const std::uint64_t pixel_bits = std::uint64_t{colours.bits} * colours.channels;
  const TiffShape shape = shape_of(tiff.get(), pixel_bits, source, name);
  rows.begin(static_cast<int>(shape.width), static_cast<int>(shape.height), is_deep(colours));
  if (is_deep(colours))
    read_deep_colours(tiff.get(), colours, shape, name, source, rows);
  else
    read_byte_colours(tiff.get(), shape, pixel_bits, name, source, rows);
}

RgbImage decode_rgb_tiff(std::string_view bytes, const std::string& name) {
  return collect_rows([&](const RgbRows& rows) { read_rgb_tiff(bytes, name, rows); });
}

DepthImage decode_tiff_depths(std::string_view bytes, const std::string& name) {
  TiffBytes source{bytes};
  const TiffHandle tiff = open_tiff(source, name);
  const TiffSample sample = sample_of(tiff.get(), name);
  const TiffShape shape = shape_of(tiff.get(), 8 * bytes_of(sample), source, name);
  DepthImage image = depth_image_of_size(name, shape.width, shape.height);
  const auto take = [&](std::size_t x, std::size_t y, std::size_t count, const unsigned char* from) {
    image.values.resize(std::max(image.values.size(), (y + 1) * shape.width));
    store_samples(sample, from, count, image.values.data() + y * shape.width + x);
  };
  read_tiff_pixels(tiff.get(), shape, name, source, take);
  image.counts = sample == TiffSample::count16;
  return image;
}

}  // namespace aqbench
