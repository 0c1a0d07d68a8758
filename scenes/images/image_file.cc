#include "scenes/images/image_file.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "core/error.h"
#include "core/files.h"
#include "core/text.h"

namespace aqbench {
namespace {

constexpr int kMaxImageSide = 1 << 20;
constexpr std::string_view kPngSignature = "\x89PNG\r\n\x1a\n";
constexpr std::string_view kJpegStart = "\xff\xd8\xff";

// Bounds-checked access to the bytes of a file.
struct ImageBytes {
  std::string_view bytes;
  const std::string& file;

  [[noreturn]] void refuse(const std::string& why) const { throw input_error.of_file(file, "{}", why); }
  [[noreturn]] void refuse_cut() const { refuse("is truncated"); }

  std::uint32_t byte(std::size_t at) const {
    if (at >= bytes.size()) refuse_cut();
    return static_cast<unsigned char>(bytes[at]);
  }
  std::uint32_t big16(std::size_t at) const { return byte(at) << 8 | byte(at + 1); }
  std::uint32_t big32(std::size_t at) const { return big16(at) << 16 | big16(at + 2); }
  std::uint32_t little16(std::size_t at) const { return byte(at + 1) << 8 | byte(at); }
  std::uint32_t little32(std::size_t at) const { return little16(at + 2) << 16 | little16(at); }
};

int checked_side(const ImageBytes& image, std::uint32_t px) {
  if (px < 1 || px > static_cast<std::uint32_t>(kMaxImageSide))
    image.refuse(fmt::format("damaged: a side of {} px", px));
  return static_cast<int>(px);
}

void require_upright(const ImageBytes& image, std::uint32_t orientation) {
  if (orientation > 1)
    image.refuse(fmt::format("EXIF orientation {} is not supported; store the image upright", orientation));
}

// ---- TIFF 6.0; EXIF in PNG and JPEG files has the same directories ----

struct TiffDirectory {
  const ImageBytes& image;
  std::size_t base = 0;  // where the TIFF header lies in the file
  bool little = true;
  std::size_t first = 0;  // entry
  std::size_t entries = 0;

  std::uint32_t read16(std::size_t at) const { return little ? image.little16(at) : image.big16(at); }
  std::uint32_t read32(std::size_t at) const { return little ? image.little32(at) : image.big32(at); }

  // Returns the integers of a tag (types BYTE, SHORT, LONG); empty if it is missing.
  std::vector<std::uint32_t> values(std::uint32_t tag) const {
    for (std::size_t i = 0; i < entries; ++i) {
      const std::size_t entry = first + 12 * i;
      if (read16(entry) != tag) continue;
      const std::uint32_t type = read16(entry + 2), count = read32(entry + 4);
      const std::size_t size = type == 3 ? 2 : type == 4 ? 4 : 1;
      if ((type != 1 && type != 3 && type != 4) || count > image.bytes.size() / size)
        image.refuse(fmt::format("damaged: TIFF tag {}", tag));
      const std::size_t at = size * count <= 4 ? entry + 8 : base + read32(entry + 8);
      std::vector<std::uint32_t> found;
      for (std::size_t k = 0; k < count; ++k)
        found.push_back(size == 1 ? image.byte(at + k) : size == 2 ? read16(at + 2 * k) : read32(at + 4 * k));
      return found;
    }
    return {};
  }
  std::uint32_t value(std::uint32_t tag, std::uint32_t absent) const {
    const auto found = values(tag);
    return found.empty() ? absent : found.front();
  }
};

// Returns the first directory; nullopt if the bytes are not TIFF.
std::optional<TiffDirectory> tiff_directory(const ImageBytes& image, std::size_t base) {
  const std::string_view mark = image.bytes.substr(std::min(base, image.bytes.size()), 4);
  if (mark != std::string_view("II*\0", 4) && mark != std::string_view("MM\0*", 4)) return std::nullopt;
  TiffDirectory directory{image, base, mark[0] == 'I'};
  const std::size_t at = base + directory.read32(base + 4);
  directory.entries = directory.read16(at);
  directory.first = at + 2;
  return directory;
}

// EXIF data, which begin with a TIFF header, may say how the image is turned.
void require_upright_exif(const ImageBytes& image, std::size_t base) {
  if (const auto exif = tiff_directory(image, base)) require_upright(image, exif->value(274, 1));
}

// ---- PNG: https://www.w3.org/TR/png ----

std::uint32_t png_checksum(std::string_view bytes) {
  return static_cast<std::uint32_t>(
      crc32_z(0, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size()));
}

ImageInfo inspect_png(const ImageBytes& image) {
  ImageInfo info{ImageFormat::png};
  bool has_pixels = false;
  for (std::size_t at = kPngSignature.size();;) {
    const std::uint64_t length = image.big32(at);
    if (at + 12 + length > image.bytes.size()) image.refuse_cut();
    const std::string_view kind = image.bytes.substr(at + 4, 4);
    if (png_checksum(image.bytes.substr(at + 4, 4 + length)) != image.big32(at + 8 + length))
      image.refuse("damaged: wrong checksum of a PNG chunk");
    if (info.width_px == 0) {
      if (kind != "IHDR" || length != 13) image.refuse("damaged: first chunk is not IHDR");
      info.width_px = checked_side(image, image.big32(at + 8));
      info.height_px = checked_side(image, image.big32(at + 12));
      info.bits = image.byte(at + 16) == 16 ? 16 : 8;
    }
    if (kind == "eXIf") require_upright_exif(image, at + 8);
    has_pixels = has_pixels || kind == "IDAT";
    if (kind == "IEND") break;
    at += 12 + length;
  }
  if (!has_pixels) image.refuse("damaged: no pixels");
  return info;
}

ImageInfo inspect_tiff(const ImageBytes& image, const TiffDirectory& directory) {
  ImageInfo info{ImageFormat::tiff};
  info.width_px = checked_side(image, directory.value(256, 0));
  info.height_px = checked_side(image, directory.value(257, 0));
  for (const std::uint32_t bits : directory.values(258)) {
    if (bits != 8 && bits != 16)
      image.refuse(fmt::format("has {} bits per sample; 8 or 16 are supported", bits));
    info.bits = static_cast<int>(bits);
  }
  if (directory.value(339, 1) != 1) image.refuse("its samples are not integers");
  require_upright(image, directory.value(274, 1));
  const bool tiled = !directory.values(324).empty();
  const auto offsets = directory.values(tiled ? 324 : 273), counts = directory.values(tiled ? 325 : 279);
  if (offsets.empty() || offsets.size() != counts.size()) image.refuse("damaged: no pixels");
  for (std::size_t i = 0; i < offsets.size(); ++i)
    if (std::uint64_t{offsets[i]} + counts[i] > image.bytes.size()) image.refuse_cut();
  return info;
}

// ---- JPEG: ITU T.81 ----

bool is_frame_header(std::uint32_t marker) {
  return marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc;
}

// Returns the position of the next marker after compressed data, in which 0xff is followed by 0 or a restart.
std::size_t after_scan(const ImageBytes& image, std::size_t at) {
  for (;; ++at) {
    at = image.bytes.find('\xff', at);
    if (at == std::string_view::npos) image.refuse_cut();
    const std::uint32_t next = image.byte(at + 1);
    if (next != 0 && next != 0xff && !(next >= 0xd0 && next <= 0xd7)) return at;
  }
}

void read_frame_header(const ImageBytes& image, std::size_t at, ImageInfo& info) {
  if (info.width_px != 0) image.refuse("damaged: two frame headers");  // readers take the first
  if (image.byte(at + 4) != 8)
    image.refuse(fmt::format("has {} bits per sample; 8 are supported", image.byte(at + 4)));
  info.height_px = checked_side(image, image.big16(at + 5));
  info.width_px = checked_side(image, image.big16(at + 7));
}

ImageInfo inspect_jpeg(const ImageBytes& image) {
  ImageInfo info{ImageFormat::jpeg};
  bool has_pixels = false;
  for (std::size_t at = 2;;) {
    if (image.byte(at) != 0xff) image.refuse("damaged: a segment has the wrong length");
    const std::uint32_t marker = image.byte(at + 1);
    if (marker == 0xff) {  // a fill byte
      ++at;
      continue;
    }
    if (marker == 0xd9) break;
    const std::size_t length = image.big16(at + 2);
    if (at + 2 + length > image.bytes.size()) image.refuse_cut();
    if (is_frame_header(marker)) read_frame_header(image, at, info);
    if (marker == 0xe1 && image.bytes.substr(at + 4, 6) == std::string_view("Exif\0\0", 6))
      require_upright_exif(image, at + 10);
    has_pixels = has_pixels || marker == 0xda;
    at += 2 + length;
    if (marker == 0xda) at = after_scan(image, at);
  }
  if (info.width_px == 0 || !has_pixels) image.refuse("damaged: no pixels");
  return info;
}

// The largest depth of a map, how many pixels have it, and the next one; 0 where there is none.
struct LargestDepth {
  float value = 0, next = 0;
  std::size_t pixels = 0;
};

LargestDepth largest_depth(std::span<const float> values) {
  LargestDepth found;
  for (const float value : values) {
    if (!std::isfinite(value) || value <= found.next) continue;
    if (value > found.value) found = {value, found.value, 0};
    if (value == found.value)
      ++found.pixels;
    else
      found.next = value;
  }
  return found;
}

}  // namespace

bool is_image_name(const std::filesystem::path& file) {
  const std::string extension = lower_case(file.extension().string());
  constexpr std::array<std::string_view, 5> known = {".png", ".jpg", ".jpeg", ".tif", ".tiff"};
  return std::ranges::find(known, extension) != known.end();
}

std::filesystem::path find_image(const std::filesystem::path& folder, const std::string& name) {
  for (const char* const ending :
       {".png", ".jpg", ".jpeg", ".tif", ".tiff", ".PNG", ".JPG", ".JPEG", ".TIF", ".TIFF"})
    if (std::filesystem::path file = folder / (name + ending); is_file(file)) return file;
  return {};
}

ImageInfo inspect_image(std::string_view bytes, const std::string& file) {
  const ImageBytes image{bytes, file};
  if (bytes.empty()) image.refuse("is empty");
  if (bytes.starts_with(kPngSignature)) return inspect_png(image);
  if (bytes.starts_with(kJpegStart)) return inspect_jpeg(image);
  if (const auto directory = tiff_directory(image, 0)) return inspect_tiff(image, *directory);
  image.refuse("not a PNG, JPEG or TIFF file");
}

std::size_t drop_far_values(std::span<float> values, bool counts) {
  constexpr float kNoLength = 1e9F, kLargest16 = 65535, kLargestHalf = 65504, kFarther = 10;
  std::size_t dropped = 0;
  const auto drop_from = [&](float least) {
    for (float& value : values)
      if (std::isfinite(value) && value >= least) {
        value = std::numeric_limits<float>::quiet_NaN();
        ++dropped;
      }
  };
  drop_from(kNoLength);
  LargestDepth found = largest_depth(values);
  for (const float known : {kLargest16, counts ? kLargest16 : kLargestHalf})
    if (found.value == known) {
      drop_from(known);
      found = largest_depth(values);
    }
  if (found.next > 0 && found.pixels > 1 && found.value > kFarther * found.next) drop_from(found.value);
  return dropped;
}

void check_packing(std::uint64_t unpacked_bytes, std::size_t packed_bytes, const std::string& name) {
  if (unpacked_bytes / 1032 > packed_bytes) throw unreadable(name, "the file is too short for its image");
}

DepthImage depth_image_of_size(const std::string& name, std::uint64_t width, std::uint64_t height) {
  constexpr std::uint64_t kMaxPixels = std::uint64_t{1} << 28U;
  if (width == 0 || height == 0 || width > kMaxPixels || height > kMaxPixels / width)
    throw input_error("{}: {} x {} pixels; must be from 1 to 2^28", name, width, height);
  DepthImage image;
  image.width = static_cast<int>(width);
  image.height = static_cast<int>(height);
  return image;
}

RgbImage collect_rows(const std::function<void(const RgbRows&)>& read) {
  RgbImage image;
  std::size_t row_bytes = 0;
  const auto begin = [&](int width, int height, bool deep) {
    image = {width, height, deep, {}};
    row_bytes = static_cast<std::size_t>(width) * (deep ? 6 : 3);
    image.bytes.reserve(row_bytes * static_cast<std::size_t>(height));
  };
  read({begin,
        [&](const unsigned char* row) { image.bytes.insert(image.bytes.end(), row, row + row_bytes); }});
  return image;
}

}  // namespace aqbench
