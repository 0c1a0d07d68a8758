#include "scenes/images/mat_file.h"

#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>

#include "core/error.h"
#include "core/files.h"

namespace aqbench {
namespace {

constexpr std::size_t kHeader = 128;
constexpr std::size_t kMaxValues = std::size_t{1} << 26U;
constexpr std::size_t kMaxBytes = sizeof(double) * kMaxValues + (std::size_t{1} << 20U);

// Types of data elements in a file.
enum MatType : std::uint32_t {
  mi_int8 = 1,
  mi_uint8 = 2,
  mi_int16 = 3,
  mi_uint16 = 4,
  mi_int32 = 5,
  mi_uint32 = 6,
  mi_single = 7,
  mi_double = 9,
  mi_int64 = 12,
  mi_uint64 = 13,
  mi_matrix = 14,
  mi_compressed = 15
};

struct Element {
  std::uint32_t type = 0;
  std::string_view data;
};

template <class Number>
Number number_at(std::string_view bytes, std::size_t index) {
  Number value;
  std::memcpy(&value, bytes.data() + index * sizeof(Number), sizeof(Number));
  return value;
}

// Takes the next element off; elements are padded to 8 bytes, and up to 4 bytes of data stand in the tag.
Element take_element(std::string_view& bytes, const std::string& name) {
  if (bytes.size() < 8) throw input_error.of_file(name, "is cut short");
  const auto first = number_at<std::uint32_t>(bytes, 0);
  if (const std::uint32_t small = first >> 16U; small != 0) {
    if (small > 4) throw input_error.of_file(name, "has a small element of more than 4 bytes");
    const Element element{first & 0xffffU, bytes.substr(4, small)};
    bytes.remove_prefix(8);
    return element;
  }
  const std::size_t size = number_at<std::uint32_t>(bytes, 1);
  if (size > bytes.size() - 8) throw input_error.of_file(name, "is cut short");
  const Element element{first, bytes.substr(8, size)};
  const std::size_t padded = first == mi_compressed ? size : (size + 7) / 8 * 8;
  bytes.remove_prefix(std::min(bytes.size(), 8 + padded));
  return element;
}

std::string inflated(std::string_view data, const std::string& name) {
  z_stream stream{};
  if (inflateInit(&stream) != Z_OK) throw input_error.of_file(name, "zlib cannot start");
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(data.data()));
  stream.avail_in = static_cast<uInt>(data.size());
  std::string out;
  int status = Z_OK;
  while (status == Z_OK && out.size() < kMaxBytes) {
    constexpr std::size_t kPart = 1 << 20;
    const std::size_t before = out.size();
    out.resize(before + kPart);
    stream.next_out = reinterpret_cast<Bytef*>(out.data() + before);
    stream.avail_out = kPart;
    status = inflate(&stream, Z_NO_FLUSH);
    out.resize(before + kPart - stream.avail_out);
    if (status == Z_OK && out.size() == before) break;
  }
  inflateEnd(&stream);
  if (status != Z_STREAM_END)
    throw input_error.of_file(name, "its compressed data are damaged, cut short or too large");
  return out;
}

template <class Number>
void append_numbers(std::string_view data, std::vector<double>& values) {
  for (std::size_t i = 0; i < data.size() / sizeof(Number); ++i)
    values.push_back(static_cast<double>(number_at<Number>(data, i)));
}

std::vector<double> numbers_of(const Element& element, const std::string& name) {
  struct Reader {
    MatType type;
    void (*append)(std::string_view data, std::vector<double>& values);
  };
  constexpr Reader kReaders[] = {
      {mi_int8, append_numbers<std::int8_t>},   {mi_uint8, append_numbers<std::uint8_t>},
      {mi_int16, append_numbers<std::int16_t>}, {mi_uint16, append_numbers<std::uint16_t>},
      {mi_int32, append_numbers<std::int32_t>}, {mi_uint32, append_numbers<std::uint32_t>},
      {mi_single, append_numbers<float>},       {mi_double, append_numbers<double>},
      {mi_int64, append_numbers<std::int64_t>}, {mi_uint64, append_numbers<std::uint64_t>}};
  const auto* const reader =
      std::ranges::find_if(kReaders, [&](const Reader& one) { return one.type == element.type; });
  if (reader == std::end(kReaders))
    throw input_error.of_file(name, "has numbers of the unknown type {}", element.type);
  std::vector<double> values;
  reader->append(element.data, values);
  return values;
}

void take_matrix(std::string_view bytes, const std::string& name, std::map<std::string, MatArray>& arrays) {
  constexpr std::uint32_t kFirstNumeric = 6, kLastNumeric = 15,
                          kComplex = 0x0800;  // mxDOUBLE_CLASS to uint64
  const Element flags = take_element(bytes, name);
  if (flags.type != mi_uint32 || flags.data.size() < 4)
    throw input_error.of_file(name, "has an array without flags");
  const auto word = number_at<std::uint32_t>(flags.data, 0);
  if ((word & 0xffU) < kFirstNumeric || (word & 0xffU) > kLastNumeric || (word & kComplex) != 0) return;
  MatArray array;
  std::size_t count = 1;
  for (const double side : numbers_of(take_element(bytes, name), name)) {
    if (!(side >= 0 && side * static_cast<double>(count) <= static_cast<double>(kMaxValues)))
      throw input_error.of_file(name, "has an array of more than 2^26 values");
    array.shape.push_back(static_cast<std::size_t>(side));
    count *= array.shape.back();
  }
  const std::string variable(take_element(bytes, name).data);
  array.values = numbers_of(take_element(bytes, name), name);
  if (array.values.size() != count)
    throw input_error.of_file(name, "array '{}' has {} values, its size says {}", variable,
                              array.values.size(), count);
  arrays[variable] = std::move(array);
}

}  // namespace

std::map<std::string, MatArray> read_mat_file(const std::filesystem::path& file) {
  const std::string bytes = read_file(file), name = file.string();
  if (bytes.size() >= kHeader && bytes.starts_with("MATLAB 7.3"))
    throw input_error.of_file(name, "is a MATLAB file of version 7.3 (HDF5); save it with -v7");
  if (bytes.size() < kHeader || bytes.substr(124, 4) != std::string_view("\0\1IM", 4))
    throw input_error.of_file(name, "is no MATLAB file of level 5, little endian");
  std::map<std::string, MatArray> arrays;
  std::string_view rest = std::string_view(bytes).substr(kHeader);
  while (!rest.empty()) {
    const Element element = take_element(rest, name);
    if (element.type == mi_matrix) take_matrix(element.data, name, arrays);
    if (element.type != mi_compressed) continue;
    const std::string plain = inflated(element.data, name);
    std::string_view inner = plain;
    const Element matrix = take_element(inner, name);
    if (matrix.type == mi_matrix) take_matrix(matrix.data, name, arrays);
  }
  return arrays;
}

}  // namespace aqbench
