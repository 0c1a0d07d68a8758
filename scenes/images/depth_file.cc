#include "scenes/images/depth_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "core/error.h"
#include "core/files.h"
#include "core/text.h"
#include "scenes/cloud/npy.h"
#include "scenes/images/png_file.h"
#include "scenes/images/tiff_file.h"

namespace aqbench {
namespace {

[[noreturn]] void fail_depth(const std::string& name, const std::string& what) {
  throw input_error("{}: {}", name, escape_bytes(what));
}

DepthImage read_npy_depths(const std::filesystem::path& path) {
  NpyArray array = read_npy(path);
  const bool flat = array.shape.size() == 2 || (array.shape.size() == 3 && array.shape[2] == 1);
  if (!flat)
    fail_depth(path.string(), fmt::format("shape ({}) is not rows x columns", fmt::join(array.shape, ", ")));
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

std::optional<std::uint64_t> whole_number(std::string_view word) {
  std::uint64_t value = 0;
  const auto [last, status] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (status != std::errc{} || last != word.data() + word.size()) return std::nullopt;
  return value;
}

// Copies float32 values that fill the rest of a file.
void copy_floats(const std::string& name, std::string_view data, DepthImage& image) {
  const std::size_t count = static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.height);
  if (data.size() != count * sizeof(float))
    fail_depth(name, fmt::format("{} bytes of data do not hold {} x {} values of 4 bytes", data.size(),
                                 image.width, image.height));
  image.values.resize(count);
  std::memcpy(image.values.data(), data.data(), data.size());
}

DepthImage read_pfm(std::string_view bytes, const std::string& name) {
  std::string_view rest = bytes;
  if (take_pfm_word(rest) != "Pf") fail_depth(name, "a PFM of three channels is not a depth map");
  const auto width = whole_number(take_pfm_word(rest)), height = whole_number(take_pfm_word(rest));
  const auto scale = parse_double(take_pfm_word(rest));
  if (!width || !height || !scale || !(*scale < 0 || *scale > 0))
    fail_depth(name, "the header is not 'Pf', width, height and scale");
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
    const auto value = whole_number(rest.substr(0, end));
    if (!value) return std::nullopt;
    number = *value;
    rest.remove_prefix(end + 1);
  }
  return ColmapHeader{numbers[0], numbers[1], numbers[2], rest};
}

DepthImage read_colmap_depths(const ColmapHeader& header, const std::string& name) {
  if (header.channels != 1)
    fail_depth(name, fmt::format("a depth map has one channel, not {}", header.channels));
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

}  // namespace

DepthImage read_depth_image(const std::filesystem::path& path) {
  if (is_npy(path)) return read_npy_depths(path);
  const std::string name = path.string(), bytes = read_file(path);
  if (bytes.starts_with("Pf") || bytes.starts_with("PF")) return read_pfm(bytes, name);
  if (bytes.starts_with("\x89PNG")) return decode_png_depths(bytes, name);
  if (bytes.starts_with("\x76\x2f\x31\x01")) return read_exr_depths(bytes, name);
  if (is_tiff(bytes)) return decode_tiff_depths(bytes, name);
  if (const auto header = colmap_header(bytes)) return read_colmap_depths(*header, name);
  fail_depth(name, "not a supported depth map (NPY, PFM, COLMAP's .bin, PNG of 16 bits, EXR, TIFF)");
}

}  // namespace aqbench
