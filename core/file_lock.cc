#include "core/file_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "core/error.h"

namespace aqbench {
namespace {

[[noreturn]] void fail_lock(const std::filesystem::path& path, int error) {
  if (error == EINTR) throw Error(ErrorKind::interrupted, path.string() + ": interrupted while waiting");
  throw Error(ErrorKind::io, fmt::format("{}: cannot lock: {}", path.string(), std::strerror(error)));
}

// Is the path's file still the one that was opened?
bool same_file(int descriptor, const std::filesystem::path& path) {
  struct stat opened {
  }, named{};
  return ::fstat(descriptor, &opened) == 0 && ::stat(path.c_str(), &named) == 0 &&
         opened.st_ino == named.st_ino && opened.st_dev == named.st_dev;
}

// A descriptor that holds the lock, or -1 if another holder is in the way of a call that does not wait.
int take_lock(const std::filesystem::path& path, LockMode mode, bool wait) {
  const int operation = (mode == LockMode::shared ? LOCK_SH : LOCK_EX) | (wait ? 0 : LOCK_NB);
  for (;;) {
    const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (descriptor < 0) fail_lock(path, errno);
    if (::flock(descriptor, operation) != 0) {
      const int error = errno;
      ::close(descriptor);
      if (error == EWOULDBLOCK && !wait) return -1;
      fail_lock(path, error);
    }
    if (same_file(descriptor, path)) return descriptor;
    ::close(descriptor);
  }
}

}  // namespace

FileLock FileLock::wait(const std::filesystem::path& path, LockMode mode) {
  return FileLock(take_lock(path, mode, true));
}

std::optional<FileLock> FileLock::attempt(const std::filesystem::path& path, LockMode mode) {
  const int descriptor = take_lock(path, mode, false);
  if (descriptor < 0) return std::nullopt;
  return FileLock(descriptor);
}

FileLock::FileLock(FileLock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}

FileLock& FileLock::operator=(FileLock&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

FileLock::~FileLock() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

}  // namespace aqbench
