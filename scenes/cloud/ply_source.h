#pragma once
// Reads the values in the data part of a PLY file one by one, in order.

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "scenes/cloud/ply_header.h"

namespace aqbench {

// Throws Error(input) "NAME: WHAT", made printable.
[[noreturn]] void fail_ply(const std::string& name, const std::string& what);

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
