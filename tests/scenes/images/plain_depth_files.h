#pragma once
// Small OpenEXR, TIFF, PNG and MATLAB files, made by hand from the formats' layouts.

#include <zlib.h>

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

inline std::string packed_by_zlib(const std::string& data) {
  uLongf size = compressBound(data.size());
  std::string packed(size, '\0');
  compress2(reinterpret_cast<Bytef*>(packed.data()), &size, reinterpret_cast<const Bytef*>(data.data()),
            data.size(), 9);
  packed.resize(size);
  return packed;
}

inline std::string png_chunk(const std::string& kind_and_data) {
  const auto crc = crc32_z(0, reinterpret_cast<const Bytef*>(kind_and_data.data()), kind_and_data.size());
  return ordered(static_cast<std::uint32_t>(kind_and_data.size() - 4), true) + kind_and_data +
         ordered(static_cast<std::uint32_t>(crc), true);
}

// A PNG by the layout of www.w3.org/TR/png. `rows` begin with the byte 0, for no filter; `chunks` stand
// before them: PLTE, tRNS.
inline std::string plain_png(std::uint32_t width, std::uint32_t height, char bits, char colour,
                             const std::string& rows, const std::vector<std::string>& chunks = {}) {
  std::string file = "\x89PNG\r\n\x1a\n" + png_chunk("IHDR" + ordered(width, true) + ordered(height, true) +
                                                     bits + colour + std::string(3, '\0'));
  for (const std::string& chunk : chunks) file += png_chunk(chunk);
  return file + png_chunk("IDAT" + packed_by_zlib(rows)) + png_chunk("IEND");
}

// An element of a MATLAB file of level 5: its data, padded to 8 bytes. `says` bytes stand in its tag.
inline std::string mat_element(std::uint32_t type, std::string data, std::size_t says = SIZE_MAX) {
  const std::size_t bytes = says == SIZE_MAX ? data.size() : says;
  if (type != 15) data.resize((data.size() + 7) / 8 * 8);
  return ordered(type, false) + ordered(static_cast<std::uint32_t>(bytes), false) + data;
}

// The file of an array A of bytes (class 9, elements of type 2) with sides of doubles. `says`: the bytes of
// its values by their tag.
inline std::string mat_of_bytes(const std::vector<double>& sides, const std::string& values, bool packed,
                                std::size_t says = SIZE_MAX) {
  std::string shape;
  for (const double side : sides) shape += ordered(side, false);
  const std::string start = mat_element(6, ordered(std::uint32_t{9}, false) + std::string(4, '\0')) +
                            mat_element(9, shape) + mat_element(1, "A");
  const std::string array = start + mat_element(2, values, says);
  const std::string matrix = mat_element(14, array, says == SIZE_MAX ? SIZE_MAX : start.size() + 8 + says);
  std::string file = "MATLAB 5.0" + std::string(114, ' ') + std::string("\0\1IM", 4);
  return file + (packed ? mat_element(15, packed_by_zlib(matrix)) : matrix);
}

}  // namespace aqbench
