#pragma once
// Files that are whole or absent.

#include <filesystem>
#include <string>
#include <string_view>

namespace aqbench {

// The whole file. Throws Error(input) naming it if it does not exist, is not a regular file or is larger than
// max_bytes, Error(io) if reading fails.
std::string read_file(const std::filesystem::path& path, std::uintmax_t max_bytes = std::uintmax_t{1} << 32);

// Writes beside `path`, flushes to the disk, then renames: after any failure, a crash included, `path` holds
// the old bytes or the new ones. Throws Error(io) "PATH: No space left on device" and leaves nothing behind.
void write_file(const std::filesystem::path& path, std::string_view bytes);

}  // namespace aqbench
