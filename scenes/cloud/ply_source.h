#pragma once
// The header of a PLY file, which says what elements it has and how they are stored, and the values in its
// data part, one by one and in order.

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/text.h"
#include "scenes/cloud/reconstruction.h"

namespace aqbench {

// The three ways to store the data of a PLY file.
enum class PlyFormat { ascii, binary_little_endian, binary_big_endian };

// The scalar types of PLY.
enum class PlyScalar { int8, uint8, int16, uint16, int32, uint32, float32, float64 };

// Returns the size of a value, bytes.
std::size_t ply_scalar_size(PlyScalar type);

// Returns the type of a kind, 'f' (floating), 'i' (signed) or else unsigned, and size; nullopt: there is
// none.
std::optional<PlyScalar> ply_scalar_of(char kind, std::size_t bytes);

// Returns whether the type is one of the six integer types.
bool ply_scalar_is_integer(PlyScalar type);

// One property of an element: a scalar, or a list of scalars.
struct PlyProperty {
  std::string name;
  PlyScalar type{};  // of the value, or of each list item
  bool is_list = false;
  PlyScalar count_type{};  // lists only; always an integer type
};

// An element: `count` records of the same properties.
struct PlyElement {
  std::string name;
  std::uint64_t count = 0;
  std::vector<PlyProperty> properties;  // names are unique

  // Returns the index in `properties` of the property of that name, -1 if there is none.
  int find(std::string_view property) const;
};

// All that a header says.
struct PlyHeader {
  PlyFormat format{};
  std::vector<PlyElement> elements;  // names are unique
  std::size_t data_offset = 0;       // bytes before the data
  std::size_t lines = 0;             // header lines, `end_header` included
  char line_end = '\n';              // '\r' in files of old Macs
};

// Parses the header at the start of `bytes`. Throws Error(input) "NAME: line 4: ..." for anything that is not
// a PLY 1.0 header.
PlyHeader parse_ply_header(std::string_view bytes, const std::string& name);

// Brings normals to unit length as read_ply() does; those that have about that length stay as they are, so
// that what was written reads back the same.
void make_unit_length(std::span<Vec3> normals);

// Throws Error(input) "NAME: WHAT", made printable.
template <class... Args>
[[noreturn]] void fail_ply(const std::string& name, fmt::format_string<Args...> what, Args&&... args) {
  throw input_error.of_file(name, "{}", escape_bytes(fmt::format(what, std::forward<Args>(args)...)));
}

// Reads one value of type T that lies at `from`; `swap` reverses the order of its bytes.
template <class T>
double load_ply_scalar(const char* from, bool swap) {
  char bytes[sizeof(T)];
  std::memcpy(bytes, from, sizeof(T));
  if (swap) std::reverse(bytes, bytes + sizeof(T));
  T value;
  std::memcpy(&value, bytes, sizeof(T));
  return static_cast<double>(value);
}

// Reads one value of any type.
inline double load_ply_value(PlyScalar type, const char* from, bool swap) {
  switch (type) {
    case PlyScalar::int8:
      return load_ply_scalar<std::int8_t>(from, swap);
    case PlyScalar::uint8:
      return load_ply_scalar<std::uint8_t>(from, swap);
    case PlyScalar::int16:
      return load_ply_scalar<std::int16_t>(from, swap);
    case PlyScalar::uint16:
      return load_ply_scalar<std::uint16_t>(from, swap);
    case PlyScalar::int32:
      return load_ply_scalar<std::int32_t>(from, swap);
    case PlyScalar::uint32:
      return load_ply_scalar<std::uint32_t>(from, swap);
    case PlyScalar::float32:
      return load_ply_scalar<float>(from, swap);
    case PlyScalar::float64:
      break;
  }
  return load_ply_scalar<double>(from, swap);
}

// Returns whether the bytes of values of a binary file are reversed on this machine.
inline bool swaps_ply_bytes(PlyFormat format) {
  return (format == PlyFormat::binary_big_endian) != (std::endian::native == std::endian::big);
}

// What both kinds of sources have: the place up to which the data has been read, for error messages and to
// keep within the file.
class PlySource {
 public:
  // `bytes` and `name` must outlive the source.
  PlySource(std::string_view bytes, const PlyHeader& header, const std::string& name)
      : position_(bytes.data() + header.data_offset), end_(bytes.data() + bytes.size()), name_(name) {}

  std::uint64_t bytes_left() const { return static_cast<std::uint64_t>(end_ - position_); }
  const std::string& name() const { return name_; }

 protected:
  const char* position_;
  const char* end_;
  const std::string& name_;
  const PlyElement* element_ = nullptr;
  std::uint64_t record_ = 0;
};

// Values of a binary file. This and PlyAsciiSource have the same functions, called in this order: for each
// record begin_record; then for each property number, or for a list its length and its items with number, or
// skip_items; then end_record. After the last element: expect_end. Each throws Error(input) naming the record
// and the property.
class PlyBinarySource : public PlySource {
 public:
  PlyBinarySource(std::string_view bytes, const PlyHeader& header, const std::string& name)
      : PlySource(bytes, header, name), swap_(swaps_ply_bytes(header.format)) {}

  void begin_record(const PlyElement& element, std::uint64_t record) {
    element_ = &element;
    record_ = record;
  }
  void end_record() {}

  double number(const PlyProperty& property, PlyScalar type) {
    const std::size_t size = ply_scalar_size(type);
    if (bytes_left() < size) fail_truncated(property);
    const char* const from = position_;
    position_ += size;
    return load_ply_value(type, from, swap_);
  }

  void skip_items(const PlyProperty& property, std::uint64_t count) {
    const std::size_t size = ply_scalar_size(property.type);
    if (count > bytes_left() / size) fail_truncated(property);
    position_ += count * size;
  }

  void expect_end() const;
  [[noreturn]] void fail(const PlyProperty& property, const std::string& what) const;

 private:
  [[noreturn]] void fail_truncated(const PlyProperty& property) const;

  bool swap_;
};

// Values of an ASCII file, one record a line; blank lines are skipped.
class PlyAsciiSource : public PlySource {
 public:
  PlyAsciiSource(std::string_view bytes, const PlyHeader& header, const std::string& name)
      : PlySource(bytes, header, name), line_(header.lines), line_end_(header.line_end) {}

  // Continues with the next part of the file, which begins at the start of a line. The count of lines
  // continues, too.
  void go_on(std::string_view lines) {
    position_ = lines.data();
    end_ = position_ + lines.size();
  }

  // Returns whether a line follows that is not blank; skips those that are.
  bool has_line();

  void begin_record(const PlyElement& element, std::uint64_t record);
  void end_record();
  double number(const PlyProperty& property, PlyScalar type);
  void skip_items(const PlyProperty& property, std::uint64_t count);
  void expect_end();
  [[noreturn]] void fail(const PlyProperty& property, const std::string& what) const;
  [[noreturn]] void fail_line(const std::string& what) const;  // of the line after the last one that was read

 private:
  // Goes to the next line that is not blank; returns false at the end of the file.
  bool next_line();
  std::string_view next_word();
  void skip_blanks();
  double integer(const PlyProperty& property, PlyScalar type, std::string_view word) const;

  std::size_t line_;
  char line_end_;
  const char* word_ = nullptr;  // what is left of the line: [word_, stop_)
  const char* stop_ = nullptr;
};

}  // namespace aqbench
