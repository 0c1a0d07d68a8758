#include "scenes/core/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "scenes/core/error.h"

namespace aqbench {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const fs::path& path, int error) {
  throw Error(ErrorKind::io, fmt::format("{}: {}", path.string(), std::strerror(error)));
}

// 0, or the errno of what failed.
int write_all_and_sync(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return ::fsync(descriptor) == 0 ? 0 : errno;
}

// The rename itself must survive a power cut too.
void sync_directory(const fs::path& directory) {
  const int descriptor = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;  // not every file system lets a directory be opened; the data itself is safe
  ::fsync(descriptor);
  ::close(descriptor);
}

}  // namespace

std::string read_file(const fs::path& path, std::uintmax_t max_bytes) {
  std::error_code status;
  if (!fs::exists(path, status)) throw Error(ErrorKind::input, path.string() + ": no such file");
  if (!fs::is_regular_file(path, status))
    throw Error(ErrorKind::input, path.string() + ": not a regular file");
  const std::uintmax_t size = fs::file_size(path, status);
  if (!status && size > max_bytes)
    throw Error(ErrorKind::input,
                fmt::format("{}: {} bytes, more than the {} allowed", path.string(), size, max_bytes));
  std::ifstream file(path, std::ios::binary);
  if (!file) fail(path, errno);
  std::string bytes(static_cast<std::size_t>(size), '\0');
  file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (file.bad()) fail(path, EIO);
  bytes.resize(static_cast<std::size_t>(file.gcount()));
  return bytes;
}

void write_file(const fs::path& path, std::string_view bytes) {
  const fs::path temporary = fmt::format("{}.tmp{}", path.string(), ::getpid());
  const int descriptor = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (descriptor < 0) fail(path, errno);
  int error = write_all_and_sync(descriptor, bytes);
  if (::close(descriptor) != 0 && error == 0) error = errno;
  if (error == 0 && ::rename(temporary.c_str(), path.c_str()) != 0) error = errno;
  if (error != 0) {
    ::unlink(temporary.c_str());
    fail(path, error);
  }
  sync_directory(path.has_parent_path() ? path.parent_path() : fs::path("."));
}

}  // namespace aqbench
