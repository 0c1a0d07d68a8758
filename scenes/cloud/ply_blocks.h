#pragma once
// Reads the cloud of a binary PLY file in blocks.

#include <cstdint>
#include <filesystem>
#include <memory>

#include "scenes/cloud/cloud_blocks.h"

namespace aqbench {

// Opens a binary PLY file of `at_least` vertices or more, whose blocks hold what read_ply() reads; each is
// read from the file when it is asked for. Returns nullptr for what read_ply() has to read whole, or to
// refuse: fewer vertices, faces, lists, text, vertices without x, y or z, a file that has another size than
// its header says, and what is no PLY file. Throws Error(input) as read_ply() does for a header that is
// wrong.
std::shared_ptr<const CloudBlocks> open_ply_blocks(const std::filesystem::path& path, std::uint64_t at_least);

}  // namespace aqbench
