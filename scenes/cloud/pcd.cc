#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "scenes/cloud/cloud_blocks.h"
#include "scenes/cloud/mesh_formats.h"
#include "scenes/cloud/ply_source.h"
#include "scenes/cloud/text_lines.h"

namespace aqbench {
namespace {

// One field of a point: `count` values of `size` bytes each.
struct PcdField {
  std::string name;
  std::size_t size = 4;
  char type = 'F';                       // I signed, U unsigned, F real
  std::optional<PlyScalar> scalar = {};  // of a value; none: a whole number of 8 bytes
  std::size_t count = 1;
  std::size_t offset = 0;  // of its first value in a point, bytes
};

struct PcdHeader {
  std::vector<PcdField> fields;
  std::size_t point_bytes = 0, columns = 0;
  std::uint64_t points = 0;
  std::optional<Vec3> viewpoint;
  std::string data;
};

class PcdHeaderReader {
 public:
  explicit PcdHeaderReader(TextLines& lines) : lines_(lines) {}

  PcdHeader read() {
    std::string_view line;
    while (header_.data.empty()) {
      if (!lines_.next_content(line)) lines_.fail("the file ends before the line DATA");
      const std::string_view key = take_word(line);
      read_line(key, line);
    }
    finish();
    return std::move(header_);
  }

 private:
  void read_line(std::string_view key, std::string_view rest) {
    if (key == "FIELDS" || key == "COLUMNS") {
      for (const std::string_view word : split_words(rest))
        header_.fields.push_back({.name = std::string(word)});
    } else if (key == "SIZE") {
      for (PcdField& field : header_.fields) field.size = lines_.count(take_word(rest), "SIZE");
    } else if (key == "TYPE") {
      for (PcdField& field : header_.fields) field.type = type_of(take_word(rest));
    } else if (key == "COUNT") {
      for (PcdField& field : header_.fields) field.count = lines_.count(take_word(rest), "COUNT");
    } else if (key == "POINTS") {
      header_.points = lines_.count(take_word(rest), "POINTS");
      has_points_ = true;
    } else if (key == "WIDTH" || key == "HEIGHT") {
      (key == "WIDTH" ? width_ : height_) = lines_.count(take_word(rest), key);
    } else if (key == "VIEWPOINT") {
      Vec3 origin;
      for (int axis = 0; axis < 3; ++axis) origin[axis] = lines_.number(take_word(rest), "VIEWPOINT");
      if (origin.allFinite()) header_.viewpoint = origin;
    } else if (key == "DATA") {
      header_.data = take_word(rest);
      if (header_.data.empty()) lines_.fail("DATA: missing");
    } else if (key != "VERSION") {
      lines_.fail("unknown PCD header line '{}'", key);
    }
  }

  char type_of(std::string_view word) const {
    if (word != "I" && word != "U" && word != "F") lines_.fail("TYPE: '{}' is not I, U or F", word);
    return word[0];
  }

  void finish() {
    if (height_ != 0 && width_ > (std::uint64_t{1} << 40U) / height_) lines_.fail("WIDTH: too many points");
    const std::uint64_t points = width_ * height_;
    if (has_points_ && points != 0 && points != header_.points)
      lines_.fail("POINTS: {}, but WIDTH x HEIGHT is {}", header_.points, points);
    if (!has_points_) header_.points = points;
    if (header_.fields.size() > 1000) lines_.fail("FIELDS: must name at most 1000 fields");
    std::erase_if(header_.fields, [](const PcdField& field) { return field.count == 0; });  // as PCL does
    for (PcdField& field : header_.fields) {
      field.scalar = ply_scalar_of(field.type == 'F' ? 'f' : field.type == 'I' ? 'i' : 'u', field.size);
      if (!field.scalar && (field.type == 'F' || field.size != 8))
        lines_.fail("SIZE: unsupported size {} of type {}", field.size, field.type);
      if (field.count > 100'000) lines_.fail("COUNT: {} must be at most 100000", field.count);
      field.offset = header_.point_bytes;
      header_.point_bytes += field.size * field.count;
      header_.columns += field.count;
    }
  }

  TextLines& lines_;
  PcdHeader header_;
  bool has_points_ = false;
  std::uint64_t width_ = 0, height_ = 1;
};

// The fields of the coordinates and, if complete, of the normal.
struct PcdPlaces {
  std::array<const PcdField*, 6> field{};
  bool normals = false;
};

PcdPlaces find_places(const PcdHeader& header, const TextLines& lines) {
  static constexpr std::string_view kNames[] = {"x", "y", "z", "normal_x", "normal_y", "normal_z"};
  PcdPlaces places;
  for (std::size_t k = 0; k < 6; ++k) {
    const auto found = std::ranges::find(header.fields, kNames[k], &PcdField::name);
    if (found != header.fields.end()) places.field[k] = &*found;
    if (k < 3 && places.field[k] == nullptr) lines.fail("FIELDS: {} is missing", kNames[k]);
  }
  places.normals = std::ranges::none_of(places.field, [](const PcdField* field) { return field == nullptr; });
  return places;
}

double load_pcd_value(const PcdField& field, const char* from) {
  if (field.scalar) return load_ply_value(*field.scalar, from, false);
  return field.type == 'I' ? load_ply_scalar<std::int64_t>(from, false)
                           : load_ply_scalar<std::uint64_t>(from, false);
}

// Reads the points from memory where value v of point i lies at data + start(field) + stride(field) * i.
template <class At>
PointCloud gather_points(const PcdHeader& header, const PcdPlaces& places, const At& at) {
  PointCloud cloud;
  cloud.points_m.resize(header.points);
  if (places.normals) cloud.normals.resize(header.points);
  for (std::uint64_t i = 0; i < header.points; ++i) {
    for (std::size_t k = 0; k < (places.normals ? 6 : 3); ++k) {
      const PcdField& field = *places.field[k];
      (k < 3 ? cloud.points_m : cloud.normals)[i][static_cast<Eigen::Index>(k % 3)] =
          load_pcd_value(field, at(field, i));
    }
  }
  return cloud;
}

// Refuses data of another length than the header says; `tail(n)` returns the last n bytes of what is longer.
template <class Tail>
void check_pcd_length(const TextLines& lines, const PcdHeader& header, std::uint64_t bytes,
                      const Tail& tail) {
  constexpr std::uint64_t kMaxFilling = std::uint64_t{1} << 16U;
  const std::uint64_t most = bytes / header.point_bytes;
  const std::uint64_t more =
      header.points > most ? kMaxFilling + 1 : bytes - header.points * header.point_bytes;
  if (more > kMaxFilling || !is_filling(tail(static_cast<std::size_t>(more))))
    lines.fail("{} bytes of data do not hold {} points of {} bytes", bytes, header.points,
               header.point_bytes);
}

PointCloud read_pcd_ascii(TextLines& lines, const PcdHeader& header, const PcdPlaces& places) {
  PointCloud cloud;
  std::string_view line;
  std::vector<double> values;
  std::vector<std::size_t> first;  // column of each field
  std::size_t column = 0;
  for (const PcdField& field : header.fields) {
    first.push_back(column);
    column += field.count;
  }
  while (lines.next_content(line)) {
    if (header.columns > line.size()) lines.fail("fewer than {} columns", header.columns);
    values.resize(header.columns);
    for (double& value : values) value = lines.number(take_word(line), "point");
    if (!take_word(line).empty()) lines.fail("more than {} columns", header.columns);
    const auto value_of = [&](std::size_t k) {
      return values[first[static_cast<std::size_t>(places.field[k] - header.fields.data())]];
    };
    cloud.points_m.emplace_back(value_of(0), value_of(1), value_of(2));
    if (places.normals) cloud.normals.emplace_back(value_of(3), value_of(4), value_of(5));
  }
  if (cloud.points_m.size() != header.points)
    lines.fail("the header promises {} points, but there are {}", header.points, cloud.points_m.size());
  return cloud;
}

// Unpacks LZF data (Lehmann, liblzf) of `size` bytes; nullopt if it is damaged or gives another number.
std::optional<std::string> unpack_lzf(std::string_view packed, std::size_t size) {
  if (size / 88 > packed.size()) return std::nullopt;  // 3 bytes give 264 at most
  std::string out;
  out.reserve(size);
  std::size_t at = 0;
  const auto next = [&] { return static_cast<std::size_t>(static_cast<unsigned char>(packed[at++])); };
  while (at < packed.size()) {
    const std::size_t control = next();
    if (control < 32) {  // that many bytes and one more, as they are
      if (packed.size() - at < control + 1 || size - out.size() < control + 1) return std::nullopt;
      out.append(packed, at, control + 1);
      at += control + 1;
      continue;
    }
    std::size_t length = control >> 5U;
    if (length == 7) {
      if (at >= packed.size()) return std::nullopt;
      length += next();
    }
    if (at >= packed.size()) return std::nullopt;
    const std::size_t back = ((control & 31U) << 8U) + next() + 1;
    length += 2;
    if (back > out.size() || size - out.size() < length) return std::nullopt;
    for (std::size_t i = 0; i < length; ++i) out.push_back(out[out.size() - back]);
  }
  if (out.size() != size) return std::nullopt;
  return out;
}

// All values of the first field, then all of the second, and so on, packed by LZF.
PointCloud read_pcd_compressed(TextLines& lines, const PcdHeader& header, const PcdPlaces& places) {
  const std::string_view data = lines.rest();
  std::array<std::uint32_t, 2> sizes{};  // packed, unpacked
  if (data.size() < sizeof sizes) lines.fail("the file ends before its compressed data");
  std::memcpy(sizes.data(), data.data(), sizeof sizes);
  check_pcd_length(lines, header, sizes[1], [](std::size_t more) { return std::string(more, 'x'); });
  const std::string_view packed = data.substr(sizeof sizes);
  constexpr std::uint64_t kMaxUnpacked = 264;  // bytes that a reference of three bytes can give
  if (packed.size() < sizes[0] || sizes[1] / kMaxUnpacked > sizes[0])
    lines.fail("{} bytes of compressed data, not the {} that give {}", packed.size(), sizes[0], sizes[1]);
  if (!is_filling(packed.substr(sizes[0])))
    lines.fail("{} bytes follow the compressed data", packed.size() - sizes[0]);
  const auto unpacked = unpack_lzf(packed.substr(0, sizes[0]), sizes[1]);
  if (!unpacked) lines.fail("the compressed data is damaged");
  return gather_points(header, places, [&](const PcdField& field, std::uint64_t i) {
    return unpacked->data() + header.points * field.offset + i * field.size * field.count;
  });
}

constexpr std::size_t kPcdHeaderBytes = std::size_t{1} << 16;  // usual ones have 200

// Sets the fields of a position (at = 0) or normal (at = 3); returns whether a record can hold such.
bool set_fields(const PcdPlaces& places, std::size_t at, std::array<RecordField, 3>& fields) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const PcdField& field = *places.field[at + axis];
    if (!field.scalar) return false;
    fields[axis] = {*field.scalar, field.offset};
  }
  return true;
}

}  // namespace

bool is_pcd(std::string_view start) {
  return start.starts_with("# .PCD") || start.starts_with("VERSION .7") || start.starts_with("VERSION 0.7");
}

std::shared_ptr<const CloudBlocks> open_pcd_blocks(const std::filesystem::path& path,
                                                   std::uint64_t at_least) {
  OpenFile file = open_file(path);
  const std::string start = read_part(file, 0, kPcdHeaderBytes);
  const std::size_t data = start.find("\nDATA binary");
  if (!is_pcd(start) || data == start.npos || start.find('\n', data + 1) == start.npos) return nullptr;
  TextLines lines(start, file.name);
  const PcdHeader header = PcdHeaderReader(lines).read();
  const PcdPlaces places = find_places(header, lines);
  if (header.data != "binary" || header.points < at_least) return nullptr;
  RecordLayout layout;
  layout.first_byte = start.size() - lines.bytes_left();
  layout.points = header.points;
  layout.record_bytes = header.point_bytes;
  if (!set_fields(places, 0, layout.position)) return nullptr;
  if (places.normals && !set_fields(places, 3, layout.normal.emplace())) return nullptr;
  check_pcd_length(lines, header, file.bytes - layout.first_byte,
                   [&](std::size_t more) { return read_part(file, file.bytes - more, more); });
  return record_blocks(std::move(file), layout);
}

GeometryFile read_pcd(std::string_view bytes, const std::string& name) {
  TextLines lines(bytes, name);
  const PcdHeader header = PcdHeaderReader(lines).read();
  const PcdPlaces places = find_places(header, lines);
  GeometryFile file;
  file.viewpoint = header.viewpoint;
  if (header.data == "ascii") {
    file.cloud = read_pcd_ascii(lines, header, places);
  } else if (header.data == "binary") {
    const std::string_view data = lines.rest();
    check_pcd_length(lines, header, data.size(),
                     [&](std::size_t more) { return data.substr(data.size() - more); });
    file.cloud = gather_points(header, places, [&](const PcdField& field, std::uint64_t i) {
      return data.data() + i * header.point_bytes + field.offset;
    });
  } else if (header.data == "binary_compressed") {
    file.cloud = read_pcd_compressed(lines, header, places);
  } else {
    lines.fail("DATA: '{}' is not ascii, binary or binary_compressed", header.data);
  }
  return file;
}

}  // namespace aqbench
