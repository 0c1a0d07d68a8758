#include "core/locked_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <string>
#include <vector>

#include "core/error.h"

namespace aqbench {
namespace {

// Who waited for the lock may hold that of a file that is gone.
bool is_still_at(const std::filesystem::path& file, int descriptor) {
  struct stat opened {};
  struct stat named {};
  return ::fstat(descriptor, &opened) == 0 && ::stat(file.c_str(), &named) == 0 &&
         opened.st_ino == named.st_ino && opened.st_dev == named.st_dev;
}

}  // namespace

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
    if (::flock(descriptor, LOCK_EX | LOCK_NB) == 0) {
      if (is_still_at(file, descriptor)) return descriptor;
      ::close(descriptor);
      throw Error(ErrorKind::io,
                  fmt::format("{}: another process has removed or replaced it meanwhile", file.string()));
    }
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

void remove_write_leftovers(const std::filesystem::path& folder) {
  std::error_code ignored;
  std::vector<std::filesystem::path> leftovers;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder, ignored)) {
    const std::string name = entry.path().filename().string();
    const std::size_t dot = name.rfind(".tmp");
    if (dot == std::string::npos || entry.is_symlink(ignored) || !entry.is_regular_file(ignored)) continue;
    const std::string number = name.substr(dot + 4);
    if (!number.empty() && number.front() != '.' &&
        number.find_first_not_of("0123456789.") == std::string::npos)
      leftovers.push_back(entry.path());
  }
  for (const auto& path : leftovers) std::filesystem::remove(path, ignored);
}

}  // namespace aqbench
