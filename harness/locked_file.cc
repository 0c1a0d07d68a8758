#include "harness/locked_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>

#include "scenes/core/error.h"

namespace aqbench {

void throw_file_error(const std::filesystem::path& file, int error) {
  throw Error(ErrorKind::io, fmt::format("{}: {}", file.string(), std::strerror(error)));
}

int open_locked(const std::filesystem::path& file) {
  const int descriptor = ::open(file.c_str(), O_RDWR | O_APPEND | O_CLOEXEC);
  if (descriptor < 0) throw_file_error(file, errno);
  // The last child of a run that was killed shares its lock and may take a moment to die.
  const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(1);
  int error = 0;
  do {
    if (::flock(descriptor, LOCK_EX | LOCK_NB) == 0) return descriptor;
    error = errno;
    ::usleep(5000);
  } while ((error == EWOULDBLOCK || error == EINTR) && std::chrono::steady_clock::now() < patience);
  ::close(descriptor);
  if (error == EWOULDBLOCK)
    throw Error(ErrorKind::io, fmt::format("{}: another process is writing it", file.string()));
  throw_file_error(file, error);
}

int append_line(int descriptor, std::string_view line) {
  while (!line.empty()) {
    const ssize_t written = ::write(descriptor, line.data(), line.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    line.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

}  // namespace aqbench
