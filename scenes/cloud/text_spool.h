#pragma once
// Large texts of points: they are read part after part, and their points lie in a file without a name
// meanwhile.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "core/descriptor.h"
#include "scenes/cloud/cloud_blocks.h"
#include "scenes/cloud/reconstruction.h"
#include "scenes/cloud/record_blocks.h"

namespace aqbench {

// Bytes of a text that are read at a time; no line may be as long.
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
