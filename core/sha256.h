#pragma once
// SHA-256 (FIPS 180-4) through OpenSSL.

#include <filesystem>
#include <string>
#include <string_view>

namespace aqbench {

// Returns the hash of the bytes as 64 hexadecimal digits in lower case.
std::string sha256_hex(std::string_view bytes);

// Returns the hash of a file. Throws Error(io) naming the file if it cannot be read.
std::string sha256_file_hex(const std::filesystem::path& path);

}  // namespace aqbench
