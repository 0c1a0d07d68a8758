#pragma once
// Reads clouds in blocks whose file holds one record of fixed length for each point. For a large text it
// makes such a file: TextParts reads the text part after part, and PointSpool keeps the points in a temporary
// file.

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/descriptor.h"
#include "scenes/cloud/cloud_blocks.h"
#include "scenes/cloud/ply_header.h"
#include "scenes/cloud/reconstruction.h"

namespace aqbench {

// A number in the bytes of a record.
struct RecordField {
  PlyScalar type;
  std::size_t offset;
};

// Where the points lie in a file, and what a record of them holds.
struct RecordLayout {
  std::uint64_t first_byte = 0, points = 0;
  std::size_t record_bytes = 0;
  bool swap = false;  // the bytes of a number are reversed
  std::array<RecordField, 3> position{};
  std::optional<std::array<RecordField, 3>> normal;
  bool unit_normals = false;  // normals are brought to length 1
};

// A file that is open for reading, and what errors call it.
struct OpenFile {
  Descriptor descriptor;
  std::string name;
  std::uint64_t bytes = 0;
};

// Opens a regular file. Throws Error(input) or Error(io) naming it.
OpenFile open_file(const std::filesystem::path& path);

// Reads the bytes of a file from `place` on, `most` or what there is of them. Throws Error(io) naming the
// file.
std::string read_part(const OpenFile& file, std::uint64_t place, std::size_t most);

// Returns the cloud of a file that has this layout, which must fit into it. Blocks are read from the file
// when they are asked for; a file that is changed meanwhile is refused (Error(input)).
std::shared_ptr<const CloudBlocks> record_blocks(OpenFile file, RecordLayout layout);

// The number of bytes of a text that are read at a time; every line must be shorter.
inline constexpr std::size_t kTextPartBytes = std::size_t{1} << 24;

// The lines of a text, as many at a time as a part holds.
class TextParts {
 public:
  // `first_byte` is where the first line begins.
  TextParts(OpenFile file, std::uint64_t first_byte, char line_end, std::size_t part_bytes)
      : file_(std::move(file)), place_(first_byte), line_end_(line_end), part_bytes_(part_bytes) {}

  // Reads the next lines; returns false after the last ones. Throws Error(io) naming the file.
  bool next();

  // The lines that were read; none where one line is longer than a part.
  std::string_view lines() const { return std::string_view(part_).substr(0, lines_bytes_); }

  const OpenFile& file() const { return file_; }

 private:
  OpenFile file_;
  std::uint64_t place_;  // where the part begins
  char line_end_;
  std::size_t part_bytes_, lines_bytes_ = 0;
  std::string part_;
};

// Returns what an error says of a line that is longer than a part.
std::string long_line_text(std::size_t part_bytes);

// Points and normals in a file without a name in the folder for temporary files (TMPDIR): 24 bytes a point,
// 48 with normals.
class PointSpool {
 public:
  // Creates the file. Throws Error(io) naming it.
  PointSpool();

  // Appends the points; either all clouds have normals or none. Throws Error(io).
  void append(const PointCloud& cloud);

  // Returns all that was appended; errors call it `name`. The spool is empty afterwards.
  std::shared_ptr<const CloudBlocks> blocks(const std::string& name) &&;

 private:
  Descriptor file_;
  std::string buffer_;
  std::uint64_t points_ = 0;
  bool has_normals_ = false;
};

}  // namespace aqbench
