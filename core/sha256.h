#pragma once
// SHA-256 (FIPS 180-4) through OpenSSL's functions of before 3.0: they take no memory, so a thread without
// memory cannot stop in OpenSSL's own initialisation.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/sha.h>

#include <filesystem>
#include <string>
#include <string_view>

namespace aqbench {

// Hashes bytes incrementally.
class Sha256 {
 public:
  Sha256();
  void add(std::string_view bytes);
  // Returns the hash of everything added as 64 lower-case hexadecimal digits. Add nothing afterwards.
  std::string hex();

 private:
  SHA256_CTX state_;
};

// Returns the hash of the bytes as 64 lower-case hexadecimal digits.
std::string sha256_hex(std::string_view bytes);

// Returns whether a text could be such a hash: 64 lower-case hexadecimal digits.
bool is_sha256_hex(std::string_view text);

// Returns the hash of a file. Throws Error(io) naming the file if it cannot be read.
std::string sha256_file_hex(const std::filesystem::path& path);

}  // namespace aqbench
