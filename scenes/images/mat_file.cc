#include "scenes/images/mat_file.h"

#include <zlib.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

#include "core/error.h"
#include "core/files.h"
#include "core/text.h"

namespace aqbench {
namespace {

constexpr std::size_t kHeader = 128;
constexpr std::size_t kMaxValues = std::size_t{1} << 26U;

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

template <class Number>
Number number_at(std::string_view bytes, std::size_t index) {
  Number value;
  std::memcpy(&value, bytes.data() + index * sizeof(Number), sizeof(Number));
  return value;
}

// What stands before the data of an element: up to 4 bytes of data stand in the tag itself.
struct Tag {
  std::uint32_t type = 0;
  std::size_t bytes = 0, data = 8;  // how many there are, and where they begin
};

Tag read_tag(std::string_view bytes, const std::string& name) {
  if (bytes.size() < 8) throw input_error.of_file(name, "is cut short");
  const auto first = number_at<std::uint32_t>(bytes, 0);
  const std::uint32_t small = first >> 16U;
  if (small > 4) throw input_error.of_file(name, "has a small element of more than 4 bytes");
  return small != 0 ? Tag{first & 0xffffU, small, 4} : Tag{first, number_at<std::uint32_t>(bytes, 1)};
}

struct Element {
  std::uint32_t type = 0;
  std::string_view data;
};

// Takes the next element off; elements are padded to 8 bytes.
Element take_element(std::string_view& bytes, const std::string& name) {
  const Tag tag = read_tag(bytes, name);
  if (tag.bytes > bytes.size() - tag.data) throw input_error.of_file(name, "is cut short");
  const Element element{tag.type, bytes.substr(tag.data, tag.bytes)};
  const std::size_t padded = tag.type == mi_compressed ? tag.bytes : (tag.bytes + 7) / 8 * 8;
  bytes.remove_prefix(std::min(bytes.size(), tag.data == 4 ? 8 : 8 + padded));
  return element;
}

// Unpacks the first `most` bytes; `whole`: that is all there is, give or take the padding.
std::string inflated(std::string_view data, std::size_t most, bool whole, const std::string& name) {
  const auto refuse = [&] {
    throw input_error.of_file(name, "its compressed data are damaged, cut short or too large");
  };
  if (whole && most / 1032 > data.size()) refuse();  // Deflate packs at most 1032 to 1
  std::string out(most + (whole ? 8 : 0), '\0');
  z_stream stream{};
  if (inflateInit(&stream) != Z_OK) throw input_error.of_file(name, "zlib cannot start");
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(data.data()));
  stream.avail_in = static_cast<uInt>(data.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  const int status = inflate(&stream, Z_SYNC_FLUSH);
  out.resize(out.size() - stream.avail_out);
  inflateEnd(&stream);
  if (status != Z_STREAM_END && (whole || status != Z_OK)) refuse();
  if (whole && out.size() < most) refuse();
  return out;
}

// How numbers of a type are stored.
struct NumberType {
  MatType type;
  std::size_t bytes;
  double (*value)(std::string_view bytes, std::size_t index);
};

template <class Number>
constexpr NumberType number_type(MatType type) {
  return {type, sizeof(Number), [](std::string_view bytes, std::size_t index) {
            return static_cast<double>(number_at<Number>(bytes, index));
          }};
}

constexpr NumberType kNumberTypes[] = {
    number_type<std::int8_t>(mi_int8),   number_type<std::uint8_t>(mi_uint8),
    number_type<std::int16_t>(mi_int16), number_type<std::uint16_t>(mi_uint16),
    number_type<std::int32_t>(mi_int32), number_type<std::uint32_t>(mi_uint32),
    number_type<float>(mi_single),       number_type<double>(mi_double),
    number_type<std::int64_t>(mi_int64), number_type<std::uint64_t>(mi_uint64)};

const NumberType& number_type_of(std::uint32_t type, const std::string& name) {
  const auto* const found =
      std::ranges::find_if(kNumberTypes, [&](const NumberType& one) { return one.type == type; });
  if (found == std::end(kNumberTypes))
    throw input_error.of_file(name, "has numbers of the unknown type {}", type);
  return *found;
}

// What stands before the values of an array.
struct MatHeader {
  std::string variable;
  MatArray array;                    // without its bytes
  std::size_t first = 0, bytes = 0;  // of the values
};

std::vector<std::size_t> shape_of(const Element& sides, const std::string& name) {
  const NumberType& type = number_type_of(sides.type, name);
  std::vector<std::size_t> shape;
  std::size_t count = 1;
  for (std::size_t i = 0; i < sides.data.size() / type.bytes; ++i) {
    const double side = type.value(sides.data, i), most = static_cast<double>(kMaxValues);
    if (!(side >= 0 && side <= most && side * static_cast<double>(count) <= most && side == std::floor(side)))
      throw input_error.of_file(name,
                                "has an array of more than 2^26 values, or sides that are no whole numbers");
    shape.push_back(static_cast<std::size_t>(side));
    count *= shape.back();
  }
  return shape;
}

// Reads the header of an array from the first bytes of its data; nullopt for what holds no real numbers.
std::optional<MatHeader> header_of(std::string_view start, const std::string& name) {
  constexpr std::uint32_t kFirstNumeric = 6, kLastNumeric = 15,
                          kComplex = 0x0800;  // mxDOUBLE_CLASS to uint64
  std::string_view rest = start;
  const Element flags = take_element(rest, name);
  if (flags.type != mi_uint32 || flags.data.size() < 4)
    throw input_error.of_file(name, "has an array without flags");
  const auto word = number_at<std::uint32_t>(flags.data, 0);
  if ((word & 0xffU) < kFirstNumeric || (word & 0xffU) > kLastNumeric || (word & kComplex) != 0)
    return std::nullopt;
  MatHeader header;
  header.array.shape = shape_of(take_element(rest, name), name);
  header.variable = take_element(rest, name).data;
  const Tag tag = read_tag(rest, name);
  header.array.type = tag.type;
  header.first = start.size() - rest.size() + tag.data;
  header.bytes = tag.bytes;
  std::size_t count = 1;
  for (const std::size_t side : header.array.shape) count *= side;
  if (tag.bytes != count * number_type_of(tag.type, name).bytes)
    throw input_error.of_file(name, "array '{}' has {} bytes of values, its size says {} values",
                              escape_bytes(header.variable), tag.bytes, count);
  return header;
}

constexpr std::size_t kHeaderBytes = 4096;  // names have at most 63 letters

// Reads the array of an element of the file.
std::optional<MatHeader> take_matrix(const Element& element, const std::string& name) {
  if (element.type == mi_matrix) {
    auto header = header_of(element.data, name);
    if (!header) return std::nullopt;
    if (header->first + header->bytes > element.data.size()) throw input_error.of_file(name, "is cut short");
    header->array.bytes = element.data.substr(header->first, header->bytes);
    return header;
  }
  if (element.type != mi_compressed) return std::nullopt;
  const std::string start = inflated(element.data, kHeaderBytes, false, name);
  const Tag tag = read_tag(start, name);
  if (tag.type != mi_matrix) return std::nullopt;
  auto header = header_of(std::string_view(start).substr(tag.data), name);
  if (!header) return std::nullopt;
  const std::size_t first = tag.data + header->first;
  header->array.bytes = inflated(element.data, first + header->bytes, true, name);
  header->array.bytes.erase(0, first).resize(header->bytes);
  return header;
}

}  // namespace

std::size_t MatArray::size() const { return bytes.size() / number_type_of(type, {}).bytes; }

double MatArray::operator[](std::size_t index) const { return number_type_of(type, {}).value(bytes, index); }

std::map<std::string, MatArray> read_mat_file(const std::filesystem::path& file) {
  const std::string bytes = read_file(file), name = file.string();
  if (bytes.size() >= kHeader && bytes.starts_with("MATLAB 7.3"))
    throw input_error.of_file(name, "is a MATLAB file of version 7.3 (HDF5); save it with -v7");
  if (bytes.size() < kHeader || bytes.substr(124, 4) != std::string_view("\0\1IM", 4))
    throw input_error.of_file(name, "is no MATLAB file of level 5, little endian");
  std::map<std::string, MatArray> arrays;
  std::string_view rest = std::string_view(bytes).substr(kHeader);
  while (!rest.empty())
    if (auto read = take_matrix(take_element(rest, name), name))
      arrays[read->variable] = std::move(read->array);
  return arrays;
}

}  // namespace aqbench
