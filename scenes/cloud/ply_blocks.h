#pragma once
// Reads the cloud of a PLY file in blocks.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>

#include "scenes/cloud/cloud_blocks.h"
#include "scenes/cloud/record_blocks.h"

namespace aqbench {

// Opens a PLY file of `at_least` vertices or more, whose blocks hold what read_ply() reads. Those of a binary
// file are read from it when they are asked for; a text is read at once, `part_bytes` at a time, and its
// points put into a PointSpool. Returns nullptr for what read_ply() has to read whole, or to refuse: fewer
// vertices, faces, lists, vertices without x, y or z, a text with other records than vertices, a binary file
// that has another size than its header says, and what is no PLY file. Throws Error(input) as read_ply() does
// for a header or a text that is wrong, and Error(io) naming what cannot be read or written.
std::shared_ptr<const CloudBlocks> open_ply_blocks(const std::filesystem::path& path, std::uint64_t at_least,
                                                   std::size_t part_bytes = kTextPartBytes);

}  // namespace aqbench
