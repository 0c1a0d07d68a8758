#pragma once
// SHA-256 (FIPS 180-4) through OpenSSL.

#include <filesystem>
#include <string>
#include <string_view>

namespace aqbench {

std::string sha256_hex(std::string_view bytes);

// Throws Error(io) naming the file if it cannot be read.
std::string sha256_file_hex(const std::filesystem::path& path);

}  // namespace aqbench
