#include "scenes/images/images.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <limits>
#include <optional>
#include <variant>

#include "core/error.h"
#include "core/files.h"
#include "core/module.h"
#include "core/text.h"
#include "scenes/cloud/npy.h"

AQBENCH_MODULE_TABLE aqbench::ImagesTable aqbench_images_table;

namespace aqbench {
namespace {

const ImagesTable& images_table() {
  return module_table<ImagesTable>(Module::images, "aqbench_images_table", &aqbench_images_table);
}

template <class Sample>
void append_grey(const unsigned char* row, std::size_t width, std::vector<float>& values) {
  constexpr auto kWhite = static_cast<float>(std::numeric_limits<Sample>::max());
  for (std::size_t x = 0; x < width; ++x, row += 3 * sizeof(Sample)) {
    Sample pixel[3];
    std::memcpy(pixel, row, sizeof pixel);
    values.push_back((0.114F * static_cast<float>(pixel[2]) + 0.587F * static_cast<float>(pixel[1]) +
                      0.299F * static_cast<float>(pixel[0])) /
                     kWhite);
  }
}

template <class Sample>
RgbImage mean_of_blocks(const RgbImage& image, int factor) {
  RgbImage means{image.width / factor, image.height / factor, image.deep, {}};
  means.bytes.resize(3 * sizeof(Sample) * static_cast<std::size_t>(means.width) *
                     static_cast<std::size_t>(means.height));
  const auto area = static_cast<std::uint64_t>(factor) * static_cast<std::uint64_t>(factor);
  const auto place = [](const RgbImage& of, int row, int column) {
    return 3 * sizeof(Sample) *
           (static_cast<std::size_t>(row) * static_cast<std::size_t>(of.width) +
            static_cast<std::size_t>(column));
  };
  for (int row = 0; row < means.height; ++row)
    for (int column = 0; column < means.width; ++column) {
      std::uint64_t sums[3] = {area / 2, area / 2, area / 2};
      Sample pixel[3];
      for (int y = 0; y < factor; ++y)
        for (int x = 0; x < factor; ++x) {
          std::memcpy(pixel, image.bytes.data() + place(image, factor * row + y, factor * column + x),
                      sizeof pixel);
          for (int c = 0; c < 3; ++c) sums[c] += pixel[c];
        }
      for (int c = 0; c < 3; ++c) pixel[c] = static_cast<Sample>(sums[c] / area);
      std::memcpy(means.bytes.data() + place(means, row, column), pixel, sizeof pixel);
    }
  return means;
}

RgbImage shrunk(const RgbImage& image, int factor) {
  return image.deep ? mean_of_blocks<std::uint16_t>(image, factor)
                    : mean_of_blocks<std::uint8_t>(image, factor);
}

void read_rgb(ImageFormat format, std::string_view bytes, const std::string& name, const RgbRows& rows) {
  if (format == ImageFormat::png) return read_rgb_png(bytes, name, rows);
  if (format == ImageFormat::tiff) return read_rgb_tiff(bytes, name, rows);
  const RgbImage image = decode_rgb_jpeg(bytes, name);
  rows.begin(image.width, image.height, false);
  for (std::size_t at = 0; at < image.bytes.size(); at += std::size_t{3} * static_cast<unsigned>(image.width))
    rows.take(image.bytes.data() + at);
}

RgbImage rgb_of(ImageFormat format, std::string_view bytes, const std::string& name) {
  return collect_rows([&](const RgbRows& rows) { read_rgb(format, bytes, name, rows); });
}

// Leaves the upper half of each sample of 16 bits.
void make_8_bit(RgbImage& image) {
  if (!image.deep) return;
  for (std::size_t i = 0; i < image.bytes.size() / 2; ++i) {
    std::uint16_t sample = 0;
    std::memcpy(&sample, image.bytes.data() + 2 * i, sizeof sample);
    image.bytes[i] = static_cast<unsigned char>(sample >> 8);
  }
  image.bytes.resize(image.bytes.size() / 2);
  image.deep = false;
}

DepthImage read_npy_depths(const std::filesystem::path& path) {
  NpyArray array = read_npy(path);
  const bool flat = array.shape.size() == 2 || (array.shape.size() == 3 && array.shape[2] == 1);
  if (!flat)
    throw unreadable(path.string(), "shape ({}) is not rows x columns", fmt::join(array.shape, ", "));
  DepthImage image = depth_image_of_size(path.string(), array.shape[1], array.shape[0]);
  std::visit([&](const auto& values) { image.values.assign(values.begin(), values.end()); }, array.values);
  image.counts = array.is_whole;
  return image;
}

// Cuts the next header word of a PFM off; a single blank or line break follows each.
std::string_view take_pfm_word(std::string_view& rest) {
  const std::size_t end = std::min(rest.find_first_of(" \t\r\n"), rest.size());
  const std::string_view word = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return word;
}

// Copies float32 values that fill the rest of a file.
void copy_floats(const std::string& name, std::string_view data, DepthImage& image) {
  const std::size_t count = static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.height);
  if (data.size() != count * sizeof(float))
    throw unreadable(name, "{} bytes of data do not hold {} x {} values of 4 bytes", data.size(), image.width,
                     image.height);
  image.values.resize(count);
  std::memcpy(image.values.data(), data.data(), data.size());
}

DepthImage read_pfm(std::string_view bytes, const std::string& name) {
  std::string_view rest = bytes;
  if (take_pfm_word(rest) != "Pf") throw unreadable(name, "a PFM of three channels is not a depth map");
  const auto width = parse_whole<std::uint64_t>(take_pfm_word(rest)),
             height = parse_whole<std::uint64_t>(take_pfm_word(rest));
  const auto scale = parse_double(take_pfm_word(rest));
  if (!width || !height || !scale || !(*scale < 0 || *scale > 0))
    throw unreadable(name, "the header is not 'Pf', width, height and scale");
  DepthImage image = depth_image_of_size(name, *width, *height);
  copy_floats(name, rest, image);
  if ((*scale > 0) == (std::endian::native == std::endian::little))
    for (float& value : image.values)
      value = std::bit_cast<float>(__builtin_bswap32(std::bit_cast<std::uint32_t>(value)));
  const auto row = [&](int y) { return image.values.begin() + std::ptrdiff_t{y} * image.width; };
  for (int y = 0; y < image.height / 2; ++y) std::swap_ranges(row(y), row(y + 1), row(image.height - 1 - y));
  return image;
}

// "WIDTH&HEIGHT&CHANNELS&", at the start of COLMAP's maps.
struct ColmapHeader {
  std::uint64_t width, height, channels;
  std::string_view data;
};

std::optional<ColmapHeader> colmap_header(std::string_view bytes) {
  std::string_view rest = bytes;
  std::uint64_t numbers[3] = {};
  for (std::uint64_t& number : numbers) {
    const std::size_t end = rest.substr(0, 12).find('&');
    if (end == std::string_view::npos) return std::nullopt;
    const auto value = parse_whole<std::uint64_t>(rest.substr(0, end));
    if (!value) return std::nullopt;
    number = *value;
    rest.remove_prefix(end + 1);
  }
  return ColmapHeader{numbers[0], numbers[1], numbers[2], rest};
}

DepthImage read_colmap_depths(const ColmapHeader& header, const std::string& name) {
  if (header.channels != 1) throw unreadable(name, "a depth map has one channel, not {}", header.channels);
  DepthImage image = depth_image_of_size(name, header.width, header.height);
  copy_floats(name, header.data, image);
  return image;
}

// Checks only the first bytes: the array reader reads the file itself.
bool is_npy(const std::filesystem::path& path) {
  constexpr std::string_view kMagic = "\x93NUMPY";
  regular_file_size(path);  // nothing waits for a pipe
  std::array<char, kMagic.size()> start{};
  std::ifstream(path, std::ios::binary).read(start.data(), start.size());
  return std::string_view(start.data(), start.size()) == kMagic;
}

// Classic and big TIFF, of either byte order.
bool is_tiff(std::string_view bytes) {
  using namespace std::string_view_literals;
  for (const auto magic : {"II*\0"sv, "MM\0*"sv, "II+\0"sv, "MM\0+"sv})
    if (bytes.starts_with(magic)) return true;
  return false;
}

DepthImage decode_depths(const std::filesystem::path& path) {
  if (is_npy(path)) return read_npy_depths(path);
  const std::string name = path.string(), bytes = read_file(path);
  if (bytes.starts_with("Pf") || bytes.starts_with("PF")) return read_pfm(bytes, name);
  if (bytes.starts_with("\x89PNG")) return decode_png_depths(bytes, name);
  if (bytes.starts_with("\x76\x2f\x31\x01")) return read_exr_depths(bytes, name);
  if (is_tiff(bytes)) return decode_tiff_depths(bytes, name);
  if (const auto header = colmap_header(bytes)) return read_colmap_depths(*header, name);
  throw unreadable(name, "not a supported depth map (NPY, PFM, COLMAP's .bin, PNG of 16 bits, EXR, TIFF)");
}

}  // namespace

std::vector<float> inverse_real_dft(int n, std::span<const float> re_im) {
  return images_table().inverse_real_dft(n, re_im);
}

DepthImage read_exr_depths(std::string_view bytes, const std::string& name) {
  return images_table().decode_exr_depths(bytes, name);
}

GreyImage decode_grey(std::string_view bytes, int width_px, int height_px, const std::string& name) {
  const ImageInfo info = inspect_image(bytes, name);
  if (info.width_px != width_px || info.height_px != height_px)
    throw input_error("{}: is {} x {} px, expected {} x {}", name, info.width_px, info.height_px, width_px,
                      height_px);
  GreyImage grey;
  auto* append = &append_grey<std::uint8_t>;
  const auto begin = [&](int width, int height, bool deep) {
    grey = {width, height, {}};
    grey.values.reserve(static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
    if (deep) append = &append_grey<std::uint16_t>;
  };
  read_rgb(info.format, bytes, name, {begin, [&](const unsigned char* row) {
                                        append(row, static_cast<std::size_t>(grey.width), grey.values);
                                      }});
  return grey;
}

std::string shrink_image(std::string_view bytes, int factor, const std::string& name) {
  const ImageInfo info = inspect_image(bytes, name);
  if (info.width_px < factor || info.height_px < factor)
    throw input_error("{}: is {} x {} px, too small to be made smaller {} times", name, info.width_px,
                      info.height_px, factor);
  return encode_png(shrunk(rgb_of(info.format, bytes, name), factor));
}

SmallPhotograph small_photograph(std::string_view bytes, const std::string& name, std::size_t most_bytes) {
  constexpr int kLargest_px = 640, kSmallest_px = 256, kQuality = 60;
  const ImageInfo info = inspect_image(bytes, name);
  const auto factor = [&](int width_px) {
    return std::clamp((info.width_px + width_px / 2) / width_px, 1, info.height_px);
  };
  RgbImage image = rgb_of(info.format, bytes, name);
  make_8_bit(image);
  const int last = factor(kSmallest_px);
  SmallPhotograph small{"", most_bytes > 0 ? factor(kLargest_px) : last};
  for (;; ++small.every_px) {
    small.jpeg = encode_jpeg(shrunk(image, small.every_px), kQuality);
    if (small.jpeg.size() <= most_bytes || small.every_px >= last) return small;
  }
}

DepthImage read_depth_image(const std::filesystem::path& path) {
  DepthImage image = decode_depths(path);
  image.far_values = drop_far_values(image.values, image.counts);
  return image;
}

}  // namespace aqbench
