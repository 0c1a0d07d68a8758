#include "core/sha256.h"

#include <openssl/evp.h>

#include <array>
#include <cerrno>
#include <fstream>
#include <memory>
#include <new>
#include <vector>

#include "core/error.h"

namespace aqbench {
namespace {

// Throws if OpenSSL computed nothing: the buffer then holds no digest. Once the algorithm is available only
// memory can be missing, which is not an Error about a file.
void check_done(bool done) {
  if (!done) throw std::bad_alloc();
}

// Returns OpenSSL's SHA-256, fetched once: fetching takes more memory and time than hashing a line.
const EVP_MD* algorithm() {
  struct Free {
    void operator()(EVP_MD* found) const { EVP_MD_free(found); }
  };
  static const std::unique_ptr<EVP_MD, Free> found = [] {
    errno = 0;
    std::unique_ptr<EVP_MD, Free> fetched(EVP_MD_fetch(nullptr, "SHA256", nullptr));
    if (fetched == nullptr && errno == ENOMEM) throw std::bad_alloc();
    if (fetched == nullptr) throw Error(ErrorKind::io, "SHA-256: not available in this OpenSSL installation");
    return fetched;
  }();
  return found.get();
}

}  // namespace

Sha256::Sha256() : context_(EVP_MD_CTX_new(), &EVP_MD_CTX_free) {
  check_done(context_ != nullptr && EVP_DigestInit_ex(context_.get(), algorithm(), nullptr) == 1);
}

void Sha256::add(std::string_view bytes) {
  check_done(EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()) == 1);
}

std::string Sha256::hex() {
  std::array<unsigned char, 32> digest{};
  check_done(EVP_DigestFinal_ex(context_.get(), digest.data(), nullptr) == 1);
  std::string text;
  for (const unsigned char byte : digest) {
    text += "0123456789abcdef"[byte >> 4];
    text += "0123456789abcdef"[byte & 15];
  }
  return text;
}

std::string sha256_hex(std::string_view bytes) {
  Sha256 hash;
  hash.add(bytes);
  return hash.hex();
}

bool is_sha256_hex(std::string_view text) {
  return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == text.npos;
}

std::string sha256_file_hex(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw Error(ErrorKind::io, path.string() + ": cannot be read");
  Sha256 hash;
  std::vector<char> buffer(1 << 16);
  while (file.read(buffer.data(), static_cast<std::streamsize>(buffer.size())) || file.gcount() > 0)
    hash.add({buffer.data(), static_cast<std::size_t>(file.gcount())});
  if (file.bad()) throw Error(ErrorKind::io, path.string() + ": reading failed");
  return hash.hex();
}

}  // namespace aqbench
