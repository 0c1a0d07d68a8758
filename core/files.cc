#include "core/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <fstream>

#include "core/error.h"

namespace aqbench {
namespace {

[[noreturn]] void fail_file(const std::filesystem::path& path, int error) {
  throw Error(ErrorKind::io, fmt::format("{}: {}", path.string(), std::strerror(error)));
}

// 0, or the errno of what failed.
int write_all_of(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

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
  const int error = write_all_of(descriptor, bytes);
  return ::close(descriptor) != 0 && error == 0 ? errno : error;
}

// A link stays a link: what it points to is replaced.
std::filesystem::path link_target(const std::filesystem::path& path) {
  std::error_code status;
  if (!std::filesystem::is_symlink(path, status)) return path;
  const std::filesystem::path target = std::filesystem::weakly_canonical(path, status);
  return status ? path : target;
}

}  // namespace

std::uintmax_t regular_file_size(const std::filesystem::path& path) {
  std::error_code status;
  const auto type = std::filesystem::status(path, status).type();
  if (type == std::filesystem::file_type::not_found)
    throw Error(ErrorKind::input, path.string() + ": no such file");
  if (status) fail_file(path, status.value());
  if (type != std::filesystem::file_type::regular)
    throw Error(ErrorKind::input, path.string() + ": not a regular file");
  const std::uintmax_t size = std::filesystem::file_size(path, status);
  if (status) fail_file(path, status.value());
  return size;
}

std::string read_file(const std::filesystem::path& path, std::uintmax_t max_bytes) {
  regular_file_size(path);  // refuses what is no regular file
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) fail_file(path, errno);
  // Of the open file: another may have taken its place since.
  const std::streamoff end = file.tellg();
  if (end < 0) fail_file(path, EIO);
  const auto size = static_cast<std::uintmax_t>(end);
  if (size > max_bytes)
    throw Error(ErrorKind::input,
                fmt::format("{}: {} bytes, more than the {} allowed", path.string(), size, max_bytes));
  file.seekg(0);
  std::string bytes(static_cast<std::size_t>(size), '\0');
  file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (file.bad()) fail_file(path, EIO);
  bytes.resize(static_cast<std::size_t>(file.gcount()));
  return bytes;
}

void write_file(const std::filesystem::path& path, std::string_view bytes) {
  if (is_special_file(path)) {
    if (const int error = write_special_file(path, bytes); error != 0) fail_file(path, error);
    return;
  }
  static std::atomic<unsigned> next{0};  // threads may write the same path
  const std::filesystem::path target = link_target(path);
  const std::filesystem::path temporary = fmt::format("{}.tmp{}.{}", target.string(), ::getpid(), next++);
  const int descriptor = ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (descriptor < 0) fail_file(path, errno);
  int error = write_all_of(descriptor, bytes);
  if (error == 0 && ::fsync(descriptor) != 0) error = errno;
  if (::close(descriptor) != 0 && error == 0) error = errno;
  if (error == 0 && ::rename(temporary.c_str(), target.c_str()) != 0) error = errno;
  if (error != 0) {
    ::unlink(temporary.c_str());
    fail_file(path, error);
  }
  sync_directory(target.has_parent_path() ? target.parent_path() : std::filesystem::path("."));
}

}  // namespace aqbench
