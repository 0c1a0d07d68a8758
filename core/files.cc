#include "core/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <fstream>
#include <system_error>
#include <vector>

#include "core/error.h"
#include "core/safe_output.h"
#include "core/stopwatch.h"

namespace aqbench {
namespace {

// The rename itself must survive a power cut too.
void sync_directory(const std::filesystem::path& directory) {
  const int descriptor = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;  // not every file system lets a directory be opened; the data itself is safe
  ::fsync(descriptor);
  ::close(descriptor);
}

// Device files and pipes (/dev/stdout, /dev/full) cannot be replaced: they are written as they are.
bool is_special_file(const std::filesystem::path& path) {
  std::error_code status;
  const auto type = std::filesystem::status(path, status).type();
  return type == std::filesystem::file_type::character || type == std::filesystem::file_type::fifo ||
         type == std::filesystem::file_type::socket || type == std::filesystem::file_type::block;
}

int write_special_file(const std::filesystem::path& path, std::string_view bytes) {
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (descriptor < 0) return errno;
  const int error = write_all(descriptor, bytes);
  return ::close(descriptor) != 0 && error == 0 ? errno : error;
}

// Returns whether the path still names the file that was opened: after waiting for a lock it may be the lock
// of a file that has been removed.
bool is_still_at(const std::filesystem::path& path, int descriptor) {
  struct stat opened {};
  struct stat named {};
  return ::fstat(descriptor, &opened) == 0 && ::stat(path.c_str(), &named) == 0 &&
         opened.st_ino == named.st_ino && opened.st_dev == named.st_dev;
}

[[noreturn]] void fail_lock(const std::filesystem::path& path, int error) {
  if (error == EINTR)
    throw Error(ErrorKind::interrupted, path.string() + ": interrupted while waiting", path.string());
  throw Error(ErrorKind::io, fmt::format("{}: cannot lock: {}", path.string(), std::strerror(error)),
              path.string());
}

// Returns a descriptor that holds the lock, or none if another holder is in the way of a call that does not
// wait.
Descriptor take_lock(const std::filesystem::path& path, LockMode mode, bool wait) {
  const int operation = (mode == LockMode::shared ? LOCK_SH : LOCK_EX) | (wait ? 0 : LOCK_NB);
  for (;;) {
    Descriptor held(::open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666));
    if (held.get() < 0) fail_lock(path, errno);
    if (::flock(held.get(), operation) != 0) {
      if (errno == EWOULDBLOCK && !wait) return Descriptor();
      fail_lock(path, errno);
    }
    if (is_still_at(path, held.get())) return held;
  }
}

}  // namespace

void throw_file_error(const std::filesystem::path& file, int error) {
  throw Error(ErrorKind::io, fmt::format("{}: {}", file.string(), std::strerror(error)), file.string());
}

int write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

std::uintmax_t regular_file_size(const std::filesystem::path& path) {
  std::error_code status;
  const auto type = std::filesystem::status(path, status).type();
  if (type == std::filesystem::file_type::not_found)
    throw Error(ErrorKind::input, path.string() + ": no such file", path.string());
  if (status) throw_file_error(path, status.value());
  if (type != std::filesystem::file_type::regular)
    throw Error(ErrorKind::input, path.string() + ": not a regular file", path.string());
  const std::uintmax_t size = std::filesystem::file_size(path, status);
  if (status) throw_file_error(path, status.value());
  return size;
}

std::string read_file(const std::filesystem::path& path, std::uintmax_t max_bytes) {
  regular_file_size(path);  // refuses what is no regular file
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) throw_file_error(path, errno);
  // The size is that of the open file: another file may have taken its place in the folder.
  const std::streamoff end = file.tellg();
  if (end < 0) throw_file_error(path, EIO);
  const auto size = static_cast<std::uintmax_t>(end);
  if (size > max_bytes)
    throw Error(ErrorKind::input,
                fmt::format("{}: {} bytes, more than the {} allowed", path.string(), size, max_bytes),
                path.string());
  file.seekg(0);
  std::string bytes(static_cast<std::size_t>(size), '\0');
  file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (file.bad()) throw_file_error(path, EIO);
  bytes.resize(static_cast<std::size_t>(file.gcount()));
  return bytes;
}

void write_file(const std::filesystem::path& path, std::string_view bytes) {
  const std::filesystem::path target = link_target(path);
  if (is_special_file(path)) {
    if (const int error = write_special_file(path, bytes); error != 0) throw_file_error(path, error);
    return;
  }
  std::filesystem::path temporary;
  Descriptor file(create_file_beside(target, temporary));
  if (file.get() < 0) throw_file_error(path, errno);
  int error = write_all(file.get(), bytes);
  if (error == 0 && ::fsync(file.get()) != 0) error = errno;
  if (::close(file.release()) != 0 && error == 0) error = errno;
  if (error == 0 && ::rename(temporary.c_str(), target.c_str()) != 0) error = errno;
  if (error != 0) {
    ::unlink(temporary.c_str());
    throw_file_error(path, error);
  }
  sync_directory(target.has_parent_path() ? target.parent_path() : std::filesystem::path("."));
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

int open_locked(const std::filesystem::path& file) {
  Descriptor held(::open(file.c_str(), O_RDWR | O_APPEND | O_CLOEXEC));
  if (held.get() < 0) throw_file_error(file, errno);
  // The last child of a run that was killed shares its lock and may take a moment to die.
  const auto patience = SteadyClock::now() + std::chrono::seconds(1);
  int error = 0;
  do {
    if (::flock(held.get(), LOCK_EX | LOCK_NB) == 0) {
      if (is_still_at(file, held.get())) return held.release();
      throw Error(ErrorKind::io,
                  fmt::format("{}: another process has removed or replaced it meanwhile", file.string()),
                  file.string());
    }
    error = errno;
    ::usleep(5000);
  } while ((error == EWOULDBLOCK || error == EINTR) && SteadyClock::now() < patience);
  if (error == EWOULDBLOCK)
    throw Error(ErrorKind::io, fmt::format("{}: another process is writing it", file.string()),
                file.string());
  throw_file_error(file, error);
}

FileLock FileLock::wait(const std::filesystem::path& path, LockMode mode) {
  return FileLock(take_lock(path, mode, true));
}

std::optional<FileLock> FileLock::attempt(const std::filesystem::path& path, LockMode mode) {
  Descriptor held = take_lock(path, mode, false);
  if (held.get() < 0) return std::nullopt;
  return FileLock(std::move(held));
}

ScratchFolder::ScratchFolder() {
  std::error_code error;
  const std::filesystem::path parent = std::filesystem::temp_directory_path(error);
  if (error)
    throw Error(ErrorKind::io, fmt::format("no folder for temporary files (TMPDIR): {}", error.message()));
  std::string name = (parent / "aqbench_XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr)
    throw Error(ErrorKind::io, fmt::format("{}: {}", name, std::strerror(errno)));
  path_ = name;
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace aqbench
