#pragma once
// Files that are whole or absent.

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace aqbench {

// Bytes of a file. Throws Error(input) naming it if it does not exist or is not a regular file, Error(io) if
// it may not be looked at.
std::uintmax_t regular_file_size(const std::filesystem::path& path);

// The whole file. Throws as regular_file_size, also Error(input) if it is larger than max_bytes and Error(io)
// if reading fails.
std::string read_file(const std::filesystem::path& path, std::uintmax_t max_bytes = std::uintmax_t{1} << 32);

// Writes beside `path`, flushes to the disk, then renames: after any failure, a crash included, `path` holds
// the old bytes or the new ones. A link stays a link; a device or pipe (/dev/stdout) is written to directly.
// Throws Error(io) "PATH: No space left on device" and leaves nothing behind.
void write_file(const std::filesystem::path& path, std::string_view bytes);

}  // namespace aqbench
