#pragma once
// SHA-256 (FIPS 180-4) through OpenSSL.

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

struct evp_md_ctx_st;  // OpenSSL's

namespace aqbench {

// Hashes bytes incrementally. Throws std::bad_alloc without memory, Error(io) if OpenSSL has no SHA-256.
class Sha256 {
 public:
  Sha256();
  void add(std::string_view bytes);
  // Returns the hash of everything added as 64 lower-case hexadecimal digits. Add nothing afterwards.
  std::string hex();

 private:
  std::unique_ptr<evp_md_ctx_st, void (*)(evp_md_ctx_st*)> context_;
};

// Returns the hash of the bytes as 64 lower-case hexadecimal digits.
std::string sha256_hex(std::string_view bytes);

// Returns whether a text could be such a hash: 64 lower-case hexadecimal digits.
bool is_sha256_hex(std::string_view text);

// Returns the hash of a file. Throws Error(io) naming the file if it cannot be read.
std::string sha256_file_hex(const std::filesystem::path& path);

}  // namespace aqbench
