#include "core/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fstream>
#include <new>
#include <system_error>
#include <vector>

#include "core/error.h"
#include "core/stopwatch.h"

namespace aqbench {
namespace {

// Makes the rename survive a power cut. Returns 0 or the errno.
int sync_directory(const std::filesystem::path& directory) {
  const Descriptor folder(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  // Some file systems cannot open directories, others cannot flush them (EINVAL); the data itself is safe.
  return folder.get() < 0 || ::fsync(folder.get()) == 0 || errno == EINVAL ? 0 : errno;
}

// Device files and pipes (/dev/stdout, /dev/full) cannot be replaced and are written directly.
bool is_special_file(const std::filesystem::path& path) {
  std::error_code status;
  const auto type = std::filesystem::status(path, status).type();
  return type == std::filesystem::file_type::character || type == std::filesystem::file_type::fifo ||
         type == std::filesystem::file_type::socket || type == std::filesystem::file_type::block;
}

using Produce = std::function<void(const WriteBytes&)>;

// Writes all parts, stopping at the first failure. Returns 0 or its errno.
int write_parts(int descriptor, const Produce& produce) {
  int error = 0;
  produce([&](std::string_view bytes) {
    if (error == 0) error = write_all(descriptor, bytes);
  });
  return error;
}

int write_special_file(const std::filesystem::path& path, const Produce& produce) {
  Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (file.get() < 0) return errno;
  const int error = write_parts(file.get(), produce);
  return ::close(file.release()) != 0 && error == 0 ? errno : error;
}

// Returns whether the path still names the opened file: while waiting for the lock, that file may have been
// removed.
bool is_still_at(const std::filesystem::path& path, int descriptor) {
  struct stat opened {};
  struct stat named {};
  return ::fstat(descriptor, &opened) == 0 && ::stat(path.c_str(), &named) == 0 &&
         opened.st_ino == named.st_ino && opened.st_dev == named.st_dev;
}

[[noreturn]] void fail_lock(const std::filesystem::path& path, int error) {
  if (error == EINTR)
    throw Error(ErrorKind::interrupted, path.string() + ": interrupted while waiting", path.string());
  throw io_error.of_file(path, "cannot lock: {}", std::strerror(error));
}

// Returns a descriptor that holds the lock, or none if another process holds it and `wait` is false.
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

// Returns the prefix of the temporary folders that are renamed to `target` when complete.
std::string partial_prefix(const std::filesystem::path& target) {
  return "." + target.filename().string() + ".partial-";
}

// Calls `make` with random numbers while it fails with EEXIST. Returns the last errno, 0 on success.
int with_new_number(const std::function<int(std::uint64_t number)>& make) {
  constexpr int kMaxNameAttempts = 100;
  int error = EEXIST;
  for (int attempts = 0; attempts < kMaxNameAttempts && error == EEXIST; ++attempts) {
    std::uint64_t number = 0;
    if (::getrandom(&number, sizeof number, 0) != static_cast<ssize_t>(sizeof number)) return errno;
    error = make(number);
  }
  return error;
}

// Creates an empty file NAME.tmp<number> beside `target` under a random unused name. Returns its descriptor
// and sets `created`; on failure returns none and sets errno.
int create_file_beside(const std::filesystem::path& target, std::filesystem::path& created) {
  int descriptor = -1;
  errno = with_new_number([&](std::uint64_t number) {
    created = fmt::format("{}.tmp{:020}", target.string(), number);
    descriptor = ::open(created.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
    return descriptor < 0 ? errno : 0;
  });
  return descriptor;
}

// Writes beside `target`, flushes to the disk, then renames. Errors name `path`.
void write_and_rename(const std::filesystem::path& path, const std::filesystem::path& target,
                      const Produce& produce) {
  std::filesystem::path temporary;
  Descriptor file(create_file_beside(target, temporary));
  if (file.get() < 0) throw_file_error(path, errno);
  ::flock(file.get(), LOCK_EX | LOCK_NB);  // while it is held, it is not what a killed write has left
  int error = 0;
  try {
    error = write_parts(file.get(), produce);
  } catch (...) {
    ::unlink(temporary.c_str());
    throw;
  }
  if (error == 0 && ::fsync(file.get()) != 0) error = errno;
  if (::close(file.release()) != 0 && error == 0) error = errno;
  if (error == 0 && ::rename(temporary.c_str(), target.c_str()) != 0) error = errno;
  if (error != 0) {
    ::unlink(temporary.c_str());
    throw_file_error(path, error);
  }
  const std::filesystem::path folder = target.has_parent_path() ? target.parent_path() : ".";
  if (const int unsynced = sync_directory(folder); unsynced != 0) throw_file_error(folder, unsynced);
}

}  // namespace

void throw_file_error(const std::filesystem::path& file, int error) {
  if (error == ENOMEM) throw std::bad_alloc();
  throw io_error.of_file(file, "{}", std::strerror(error));
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

bool is_file(const std::filesystem::path& path) {
  std::error_code unknown;
  return std::filesystem::is_regular_file(path, unknown);
}

void make_folders(const std::filesystem::path& folder) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed) throw io_error("{}: {}", folder.string(), failed.message());
}

bool path_exists(const std::filesystem::path& path) {
  std::error_code unknown;
  return std::filesystem::exists(path, unknown);
}

bool folder_exists(const std::filesystem::path& path) {
  std::error_code unknown;
  return std::filesystem::is_directory(path, unknown);
}

std::vector<std::filesystem::path> entries_of(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> entries;
  std::error_code unknown;
  for (std::filesystem::directory_iterator entry(folder, unknown), end; !unknown && entry != end;
       entry.increment(unknown))
    entries.push_back(entry->path());
  std::ranges::sort(entries);
  return entries;
}

std::uintmax_t regular_file_size(const std::filesystem::path& path) {
  std::error_code status;
  const auto type = std::filesystem::status(path, status).type();
  if (type == std::filesystem::file_type::not_found) throw input_error.of_file(path, "no such file");
  if (status) throw_file_error(path, status.value());
  if (type != std::filesystem::file_type::regular) throw input_error.of_file(path, "not a regular file");
  const std::uintmax_t size = std::filesystem::file_size(path, status);
  if (status) throw_file_error(path, status.value());
  return size;
}

std::string read_file(const std::filesystem::path& path, std::uintmax_t max_bytes) {
  regular_file_size(path);  // throws if it is not a regular file
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) throw_file_error(path, errno);
  // Uses the size of the open file: the path may meanwhile name another one.
  const std::streamoff end = file.tellg();
  if (end < 0) throw_file_error(path, EIO);
  const auto size = static_cast<std::uintmax_t>(end);
  if (size > max_bytes)
    throw input_error.of_file(path, "{} bytes, more than the {} allowed", size, max_bytes);
  file.seekg(0);
  std::string bytes(static_cast<std::size_t>(size), '\0');
  file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (file.bad()) throw_file_error(path, EIO);
  bytes.resize(static_cast<std::size_t>(file.gcount()));
  return bytes;
}

void append_to_file(const std::filesystem::path& path, std::string_view bytes) {
  const std::filesystem::path target = link_target(path);
  std::error_code absent;
  const bool special =
      std::filesystem::exists(path, absent) && !std::filesystem::is_regular_file(path, absent);
  const Descriptor file(
      special ? ::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC)
              : ::open(target.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0644));
  if (file.get() < 0) throw_file_error(path, errno);
  if (const int error = write_all(file.get(), bytes); error != 0) throw_file_error(path, error);
}

std::filesystem::path make_folder_beside(const std::filesystem::path& target) {
  refuse_planted_folders(target);
  const std::filesystem::path parent = target.parent_path();
  if (!parent.empty()) make_folders(parent);
  std::filesystem::path folder;
  const int error = with_new_number([&](std::uint64_t number) {
    folder = parent / fmt::format("{}{:020}", partial_prefix(target), number);
    return ::mkdir(folder.c_str(), 0777) == 0 ? 0 : errno;
  });
  if (error != 0) throw io_error.of_file(folder, "{}", std::strerror(error));
  return folder;
}

bool is_folder_beside(const std::filesystem::path& folder, const std::filesystem::path& target) {
  const std::string name = folder.filename().string(), prefix = partial_prefix(target);
  return folder.parent_path() == target.parent_path() && name.size() == prefix.size() + 20 &&
         name.starts_with(prefix) && name.find_first_not_of("0123456789", prefix.size()) == name.npos;
}

void write_file(const std::filesystem::path& path, std::string_view bytes) {
  write_file_parts(path, [&](const WriteBytes& write) { write(bytes); });
}

void write_file_parts(const std::filesystem::path& path, const Produce& produce) {
  const std::filesystem::path target = link_target(path);
  if (is_special_file(path)) {
    if (const int error = write_special_file(path, produce); error != 0) throw_file_error(path, error);
    return;
  }
  write_and_rename(path, target, produce);
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
  // The last child of a killed run shares its lock and may take a moment to exit.
  const auto patience = SteadyClock::now() + std::chrono::seconds(1);
  int error = 0;
  do {
    if (::flock(held.get(), LOCK_EX | LOCK_NB) == 0) {
      if (is_still_at(file, held.get())) return held.release();
      throw io_error.of_file(file, "another process removed or replaced it meanwhile");
    }
    error = errno;
    ::usleep(5000);
  } while ((error == EWOULDBLOCK || error == EINTR) && SteadyClock::now() < patience);
  if (error == EWOULDBLOCK) throw io_error.of_file(file, "another process is writing to it");
  throw_file_error(file, error);
}

FileLock FileLock::wait_folder(const std::filesystem::path& folder) {
  Descriptor held(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (held.get() < 0 || ::flock(held.get(), LOCK_EX) != 0) fail_lock(folder, errno);
  return FileLock(std::move(held));
}

FileLock FileLock::wait(const std::filesystem::path& path, LockMode mode) {
  return FileLock(take_lock(path, mode, true));
}

std::optional<FileLock> FileLock::attempt(const std::filesystem::path& path, LockMode mode) {
  Descriptor held = take_lock(path, mode, false);
  if (held.get() < 0) return std::nullopt;
  return FileLock(std::move(held));
}

}  // namespace aqbench
