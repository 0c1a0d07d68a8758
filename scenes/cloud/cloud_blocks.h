#pragma once
// Clouds that are read in blocks, so that they need not fit into memory: from a file that holds one record of
// fixed length for each point, or, of a large text, from a temporary file of such records.

#include <array>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/descriptor.h"
#include "scenes/cloud/ply_source.h"
#include "scenes/cloud/reconstruction.h"
#include "scenes/cloud/transform.h"

namespace aqbench {

// Consecutive points of a cloud, valid during the call that receives them.
struct CloudBlock {
  std::size_t first = 0;  // the index in the cloud of the block's first point
  std::span<const Vec3> points_m;
  std::span<const Vec3> normals;  // as many, or none
};

// A cloud, in memory or on the disk.
class CloudBlocks {
 public:
  virtual ~CloudBlocks() = default;
  virtual std::size_t points() const = 0;
  virtual bool has_normals() const = 0;

  // Calls `body` for one block of `longest` points (at least 1) after the other; the last may be shorter.
  // Each call gives the same blocks. Throws Error(input) or Error(io) naming the file if that cannot be read
  // any more.
  virtual void read(std::size_t longest, const std::function<void(const CloudBlock&)>& body) const = 0;
};

// A cloud held in memory by the caller; `normals` has the size of `points` or is empty.
class SpanBlocks final : public CloudBlocks {
 public:
  explicit SpanBlocks(std::span<const Vec3> points_m, std::span<const Vec3> normals = {})
      : points_m_(points_m), normals_(normals) {}
  std::size_t points() const override { return points_m_.size(); }
  bool has_normals() const override { return !normals_.empty(); }
  void read(std::size_t longest, const std::function<void(const CloudBlock&)>& body) const override;

 private:
  std::span<const Vec3> points_m_, normals_;
};

// How large the coordinates of a cloud are, and how finely they are stored.
struct CoordinateSteps {
  double largest_m = 0;  // of |x|, |y|, |z|
  // The step of numbers of 32 bits at largest_m, if all coordinates are such numbers and use their last bit;
  // else 0.
  double float_step_m = 0;
};

// Looks at all finite coordinates. They are metres, and metres_per_unit times those of their file.
CoordinateSteps coordinate_steps(const CloudBlocks& cloud, double metres_per_unit = 1);

// Returns a cloud moved by one transform after the other, as apply() moves one in memory.
std::shared_ptr<const CloudBlocks> moved_blocks(std::shared_ptr<const CloudBlocks> cloud,
                                                std::vector<Similarity> transforms);

// Iterates over a cloud: calls `body` with the points of each block and the indices of those that count.
// Repeatable.
using EachBlock = std::function<void(
    const std::function<void(std::span<const Vec3> points_m, std::span<const std::uint32_t> index)>& body)>;

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

// A file that is open for reading, what errors call it, and its size and time of writing when it was opened.
struct OpenFile {
  Descriptor descriptor;
  std::string name;
  std::uint64_t bytes = 0;
  timespec written{};
};

// Opens a regular file. Throws Error(input) or Error(io) naming it.
OpenFile open_file(const std::filesystem::path& path);

// Throws Error(input) naming the file if it was changed since it was opened: several reads must see one file.
void require_unchanged(const OpenFile& file);

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
