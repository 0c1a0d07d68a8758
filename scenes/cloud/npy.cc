#include "scenes/cloud/npy.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <Eigen/Core>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/error.h"
#include "core/files.h"
#include "core/json_members.h"
#include "core/text.h"
#include "scenes/cloud/ply_source.h"

static_assert(std::endian::native == std::endian::little, "the arrays are copied as they lie in memory");

namespace aqbench {
namespace {

constexpr std::string_view kNpyMagic = "\x93NUMPY";
constexpr std::size_t kNpyHeaderBytes = std::size_t{1} << 16;  // numpy.save writes 128

struct NpyHeader {
  std::string descr;
  bool fortran_order = false;
  std::vector<std::size_t> shape;

  static void members(const auto& row) {
    row("descr", &NpyHeader::descr);
    row("fortran_order", &NpyHeader::fortran_order);
    row("shape", &NpyHeader::shape);
  }
};

// The header is a dictionary of Python: JSON in other quotes, brackets and words, with commas at the ends.
NpyHeader parse_npy_header(std::string_view text, const std::string& name) {
  std::string json;
  for (const char c : text) {
    if (c == ')' || c == '}')
      if (const auto last = json.find_last_not_of(' '); last != std::string::npos && json[last] == ',')
        json.resize(last);
    json += c == '\'' ? '"' : c == '(' ? '[' : c == ')' ? ']' : c == 'T' ? 't' : c == 'F' ? 'f' : c;
  }
  const Json header = parse_strict_json(json, name + ": header", kSmallFileJson);
  return from_json<NpyHeader>(JsonPlace(header, name + ": header"));
}

// The number of values, if it fits into memory's addresses.
std::optional<std::size_t> npy_value_count(std::span<const std::size_t> shape) {
  std::size_t count = 1;
  for (const std::size_t size : shape) {
    if (size != 0 && count > std::numeric_limits<std::size_t>::max() / size / sizeof(double))
      return std::nullopt;
    count *= size;
  }
  return count;
}

// Cuts magic, version and header text off `rest`.
std::string_view take_npy_header(std::string_view& rest, const std::string& name) {
  if (!rest.starts_with(kNpyMagic)) throw unreadable(name, "not a .npy file (wrong magic)");
  if (rest.size() < 8) throw unreadable(name, "the file ends inside the header");
  const int major = static_cast<unsigned char>(rest[6]);
  const int minor = static_cast<unsigned char>(rest[7]);
  if (major < 1 || major > 3 || minor != 0)
    throw unreadable(name, "unknown .npy version {}.{}", major, minor);
  const std::size_t length_size = major == 1 ? 2 : 4;
  std::uint32_t length = 0;
  if (rest.size() < 8 + length_size) throw unreadable(name, "the file ends inside the header");
  std::memcpy(&length, rest.data() + 8, length_size);
  rest.remove_prefix(8 + length_size);
  if (rest.size() < length) throw unreadable(name, "the file ends inside the header");
  const std::string_view text = rest.substr(0, length);
  rest.remove_prefix(length);
  return text;
}

// The type of the values: 'f' (2, 4 or 8 bytes), 'i' or 'u' (1 to 8), 'b' (1, true or false).
struct NpyType {
  char kind = 'f';
  std::size_t bytes = 4;
  bool swap = false;  // big endian
};

// Parses '<f4', '>i2', '|u1' and the like; nothing for other types.
std::optional<NpyType> npy_type(std::string_view descr) {
  if (descr.size() != 3 || std::string_view("<>|=").find(descr[0]) == std::string_view::npos)
    return std::nullopt;
  const NpyType type{descr[1], static_cast<std::size_t>(descr[2] - '0'), descr[0] == '>'};
  const bool whole = type.kind == 'i' || type.kind == 'u' || (type.kind == 'b' && type.bytes == 1);
  const bool known =
      std::has_single_bit(type.bytes) && type.bytes <= 8 && (type.kind == 'f' ? type.bytes > 1 : whole);
  return known ? std::optional(type) : std::nullopt;
}

double value_at(const char* from, const NpyType& type) {
  if (const auto field = ply_scalar_of(type.kind, type.bytes)) return load_ply_value(*field, from, type.swap);
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < type.bytes; ++i)
    bits |= std::uint64_t{static_cast<unsigned char>(from[type.swap ? type.bytes - 1 - i : i])} << (8 * i);
  if (type.kind == 'f')
    return static_cast<double>(Eigen::numext::bit_cast<Eigen::half>(static_cast<std::uint16_t>(bits)));
  return type.kind == 'i' ? static_cast<double>(static_cast<std::int64_t>(bits)) : static_cast<double>(bits);
}

// Layout of an array from the start of its file, without the values.
struct NpyLayout {
  std::vector<std::size_t> shape;
  std::size_t first_byte = 0;  // of the values
  NpyType type;
  bool fortran_order = false;
};

// Reads the header in the first bytes of a file of `file_bytes`.
NpyLayout read_npy_layout(std::string_view start, std::size_t file_bytes, const std::string& name) {
  std::string_view rest = start;
  NpyHeader header = parse_npy_header(take_npy_header(rest, name), name);
  const auto type = npy_type(header.descr);
  if (!type)
    throw unreadable(name, "type '{}' is not a 2, 4 or 8 byte float, an integer or bool", header.descr);
  if (header.shape.empty() || header.shape.size() > 4)
    throw unreadable(name, "{} dimensions; 1 to 4 are supported", header.shape.size());
  NpyLayout layout;
  layout.first_byte = start.size() - rest.size();
  layout.type = *type;
  layout.fortran_order = header.fortran_order;
  const auto count = npy_value_count(header.shape);
  const std::size_t data_bytes = file_bytes - layout.first_byte;
  if (!count || *count * layout.type.bytes != data_bytes)
    throw unreadable(name, "{} bytes of data do not hold shape ({}) of {} bytes each", data_bytes,
                     fmt::join(header.shape, ", "), layout.type.bytes);
  layout.shape = std::move(header.shape);
  return layout;
}

// Puts values whose first index varies fastest into the order in which the last one does.
template <class Real>
std::vector<Real> from_fortran_order(const std::vector<Real>& values, const std::vector<std::size_t>& shape) {
  std::vector<Real> ordered;
  ordered.reserve(values.size());
  std::vector<std::size_t> at(shape.size(), 0);
  while (ordered.size() < values.size()) {
    std::size_t place = 0;
    for (std::size_t i = shape.size(); i-- > 0;) place = place * shape[i] + at[i];
    ordered.push_back(values[place]);
    for (std::size_t i = shape.size(); i-- > 0 && ++at[i] == shape[i];) at[i] = 0;
  }
  return ordered;
}

template <class Real>
std::vector<Real> copy_npy_values(std::string_view data, const NpyLayout& layout) {
  std::vector<Real> values(data.size() / layout.type.bytes);
  if (values.empty()) return values;
  if (layout.type.kind == 'f' && layout.type.bytes == sizeof(Real) && !layout.type.swap)
    std::memcpy(values.data(), data.data(), data.size());
  else
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = static_cast<Real>(value_at(data.data() + i * layout.type.bytes, layout.type));
  return layout.fortran_order && layout.shape.size() > 1 ? from_fortran_order(values, layout.shape) : values;
}

template <class Real>
void write_npy_values(const std::filesystem::path& path, std::span<const Real> values,
                      std::span<const std::size_t> shape) {
  if (shape.empty() || shape.size() > 4 || npy_value_count(shape) != values.size())
    throw input_error("{}: {} values do not have shape ({})", path.string(), values.size(),
                      fmt::join(shape, ", "));
  std::string header = fmt::format("{{'descr': '<f{}', 'fortran_order': False, 'shape': ({}{}), }}",
                                   sizeof(Real), fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
  const std::size_t prefix = kNpyMagic.size() + 4;
  header.append(63 - (prefix + header.size()) % 64, ' ');  // the data starts at a multiple of 64
  header += '\n';
  std::string bytes = std::string(kNpyMagic) + std::string("\1\0", 2) +
                      static_cast<char>(header.size() & 255) + static_cast<char>(header.size() >> 8) + header;
  bytes.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
  write_file(path, bytes);
}

// Returns whether the header ends within the first bytes of a longer file.
bool has_whole_header(std::string_view start) {
  std::uint32_t length = 0;
  const std::size_t length_size = start[6] == 1 ? 2 : 4;
  std::memcpy(&length, start.data() + 8, length_size);
  return length <= start.size() - 8 - length_size;
}

// Returns three numbers of a record.
std::array<RecordField, 3> npy_vector(const NpyType& type, const std::array<std::size_t, 3>& columns) {
  std::array<RecordField, 3> fields{};
  for (std::size_t axis = 0; axis < 3; ++axis)
    fields[axis] = {ply_scalar_of(type.kind, type.bytes).value(), columns[axis] * type.bytes};
  return fields;
}

}  // namespace

NpyArray read_npy(const std::filesystem::path& path) {
  return read_npy_bytes(read_file(path), path.string());
}

NpyArray read_npy_bytes(std::string_view bytes, const std::string& name) {
  const NpyLayout layout = read_npy_layout(bytes, bytes.size(), name);
  const std::string_view data = bytes.substr(layout.first_byte);
  NpyArray array{layout.shape, {}, layout.type.kind != 'f'};
  if (layout.type.bytes <= (layout.type.kind == 'f' ? 4 : 2))  // a float holds them
    array.values = copy_npy_values<float>(data, layout);
  else
    array.values = copy_npy_values<double>(data, layout);
  return array;
}

std::optional<NpyPoint> npy_point(std::span<const std::size_t> shape, const TextColumns& columns,
                                  const std::string& name) {
  NpyPoint point{.columns = shape.back()};
  if (columns && shape.size() == 2) {
    point.at = *columns;
    if (const std::size_t last = std::ranges::max(point.at); last >= point.columns)
      throw input_error("{}: {} columns: there is no column {}", name, point.columns, last + 1);
    return point;
  }
  point.normal = point.columns == 6 && shape.size() == 2;
  if (columns || shape.size() < 2 || (point.columns != 3 && !point.normal)) return std::nullopt;
  return point;
}

void require_unit_normals(std::span<const Vec3> normals, const std::string& name) {
  for (const Vec3& normal : normals)
    if (const double length = normal.norm();
        length > 0 && std::isfinite(length) && std::abs(length - 1) > 0.01)
      throw input_error(
          "{}: columns 4 to 6 are no normals, since one is {:.4g} {:.4g} {:.4g} and not of length 1; give "
          "--columns 1,2,3 for a cloud, --truth-columns 1,2,3 for a truth, or write N x 3",
          name, normal.x(), normal.y(), normal.z());
}

std::shared_ptr<const CloudBlocks> open_npy_blocks(const std::filesystem::path& path, std::uint64_t at_least,
                                                   const TextColumns& columns) {
  OpenFile file = open_file(path);
  const std::string start = read_part(file, 0, kNpyHeaderBytes);
  if (!start.starts_with(kNpyMagic) || (start.size() == kNpyHeaderBytes && !has_whole_header(start)))
    return nullptr;
  const NpyLayout array = read_npy_layout(start, file.bytes, file.name);
  const auto point = npy_point(array.shape, columns, file.name);
  if (array.fortran_order || !point || !ply_scalar_of(array.type.kind, array.type.bytes)) return nullptr;
  RecordLayout layout;
  layout.first_byte = array.first_byte;
  layout.record_bytes = point->columns * array.type.bytes;
  layout.swap = array.type.swap;
  layout.points = (file.bytes - array.first_byte) / layout.record_bytes;
  layout.position = npy_vector(array.type, point->at);
  if (point->normal) layout.normal = npy_vector(array.type, {3, 4, 5});
  if (layout.points < at_least) return nullptr;
  auto blocks = record_blocks(std::move(file), layout);
  if (point->normal)
    blocks->read(1 << 16,
                 [&](const CloudBlock& block) { require_unit_normals(block.normals, path.string()); });
  return blocks;
}

void write_npy(const std::filesystem::path& path, std::span<const float> values,
               std::span<const std::size_t> shape) {
  write_npy_values(path, values, shape);
}

void write_npy(const std::filesystem::path& path, std::span<const double> values,
               std::span<const std::size_t> shape) {
  write_npy_values(path, values, shape);
}

}  // namespace aqbench
