#pragma once
// Clouds whose file holds one record of fixed length for each point, read in blocks.

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "core/descriptor.h"
#include "scenes/cloud/cloud_blocks.h"
#include "scenes/cloud/ply_header.h"

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

}  // namespace aqbench
