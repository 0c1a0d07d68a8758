#pragma once
// Small OpenEXR and TIFF files, made by hand from the formats' layouts.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace aqbench {

template <typename Value>
std::string exr_bytes(Value value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

inline std::string zero_ended(std::string_view words) { return std::string(words) + '\0'; }

inline std::string exr_attribute(std::string_view name, std::string_view type, const std::string& value) {
  return zero_ended(name) + zero_ended(type) + exr_bytes(static_cast<std::int32_t>(value.size())) + value;
}

inline std::string exr_channel(std::string_view name, std::int32_t type) {
  return zero_ended(name) + exr_bytes(type) + std::string(4, '\0') + exr_bytes(std::int32_t{1}) +
         exr_bytes(std::int32_t{1});
}

// An uncompressed image of 2 x 2 samples by the file layout of openexr.com: each line's channels follow each
// other.
inline std::string plain_exr(const std::string& channels, const std::vector<std::string>& lines,
                             std::int32_t display_right = 1) {
  const auto box = [](std::int32_t right) {
    return exr_bytes(0) + exr_bytes(0) + exr_bytes(right) + exr_bytes(1);
  };
  std::string file = "\x76\x2f\x31\x01" + exr_bytes(std::int32_t{2});
  file += exr_attribute("channels", "chlist", channels + '\0') +
          exr_attribute("compression", "compression", std::string(1, '\0')) +
          exr_attribute("dataWindow", "box2i", box(1)) +
          exr_attribute("displayWindow", "box2i", box(display_right)) +
          exr_attribute("lineOrder", "lineOrder", std::string(1, '\0')) +
          exr_attribute("pixelAspectRatio", "float", exr_bytes(1.0F)) +
          exr_attribute("screenWindowCenter", "v2f", exr_bytes(0.0F) + exr_bytes(0.0F)) +
          exr_attribute("screenWindowWidth", "float", exr_bytes(1.0F)) + '\0';
  std::uint64_t offset = file.size() + 8 * lines.size();
  for (const std::string& line : lines) {
    file += exr_bytes(offset);
    offset += 8 + line.size();
  }
  for (std::size_t y = 0; y < lines.size(); ++y)
    file += exr_bytes(static_cast<std::int32_t>(y)) + exr_bytes(static_cast<std::int32_t>(lines[y].size())) +
            lines[y];
  return file;
}

template <typename Value>
std::string ordered(Value value, bool big) {
  std::string bytes(reinterpret_cast<const char*>(&value), sizeof value);
  return big ? std::string(bytes.rbegin(), bytes.rend()) : bytes;
}

// What the directory of a TIFF says of its image of 2 x 2 samples.
struct TiffFields {
  std::uint16_t channels = 1, bits = 32, format = 3, orientation = 1;
  bool big = false, twice = false;
};

// An uncompressed TIFF of one strip by the layout of Adobe's TIFF 6.0.
inline std::string plain_tiff(const TiffFields& fields, const std::string& data) {
  const bool big = fields.big;
  const auto entry = [&](std::uint16_t tag, std::uint32_t value) {  // of type LONG
    return ordered(tag, big) + ordered(std::uint16_t{4}, big) + ordered(std::uint32_t{1}, big) +
           ordered(value, big);
  };
  const auto data_at = static_cast<std::uint32_t>(8),
             directory_at = static_cast<std::uint32_t>(8 + data.size());
  const std::string entries = entry(256, 2) + entry(257, 2) + entry(258, fields.bits) + entry(259, 1) +
                              entry(262, 1) + entry(273, data_at) + entry(274, fields.orientation) +
                              entry(277, fields.channels) + entry(278, 2) +
                              entry(279, static_cast<std::uint32_t>(data.size())) + entry(339, fields.format);
  const auto directory = [&](std::uint32_t next) {
    return ordered(std::uint16_t{11}, big) + entries + ordered(next, big);
  };
  const auto second_at = static_cast<std::uint32_t>(directory_at + directory(0).size());
  return (big ? std::string("MM\0*", 4) : std::string("II*\0", 4)) + ordered(directory_at, big) + data +
         directory(fields.twice ? second_at : 0) + (fields.twice ? directory(0) : "");
}

}  // namespace aqbench
