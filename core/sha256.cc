#include "core/sha256.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <vector>

#include "core/descriptor.h"
#include "core/files.h"

namespace aqbench {

Sha256::Sha256() { SHA256_Init(&state_); }

void Sha256::add(std::string_view bytes) { SHA256_Update(&state_, bytes.data(), bytes.size()); }

std::string Sha256::hex() {
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
  SHA256_Final(digest.data(), &state_);
  return fmt::format("{:02x}", fmt::join(digest, ""));
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
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) throw_file_error(path, errno);
  Sha256 hash;
  std::vector<char> buffer(1 << 16);
  for (;;) {
    const ssize_t got = ::read(file.get(), buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw_file_error(path, errno);
    if (got == 0) return hash.hex();
    hash.add({buffer.data(), static_cast<std::size_t>(got)});
  }
}

}  // namespace aqbench
