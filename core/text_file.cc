#include "core/text_file.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <vector>

#include "core/descriptor.h"
#include "core/error.h"
#include "core/files.h"
#include "core/safe_output.h"

namespace aqbench {

std::string read_text_file(const std::filesystem::path& path, std::uintmax_t max_bytes,
                           ZeroBytes zero_bytes) {
  if (const std::uintmax_t size = regular_file_size(path); size > max_bytes)
    throw Error(ErrorKind::input,
                fmt::format("{}: {} bytes, more than the {} allowed", path.string(), size, max_bytes),
                path.string());
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  if (file.get() < 0) throw_file_error(path, errno);
  std::string text;
  std::uintmax_t read = 0;
  std::vector<char> piece(std::size_t{1} << 18);
  for (;;) {
    const ssize_t got = ::read(file.get(), piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw_file_error(path, errno);
    if (got == 0) return text;
    const auto size = static_cast<std::size_t>(got);
    const bool zeros = std::memchr(piece.data(), 0, size) != nullptr;
    if (zeros && zero_bytes == ZeroBytes::refuse)
      throw Error(ErrorKind::input, path.string() + ": holds a zero byte: this is no text", path.string());
    read += size;
    if (read > max_bytes)
      throw Error(ErrorKind::input,
                  fmt::format("{}: grew beyond the {} bytes allowed", path.string(), max_bytes),
                  path.string());
    if (zeros)
      std::copy_if(piece.data(), piece.data() + size, std::back_inserter(text),
                   [](char c) { return c != 0; });
    else
      text.append(piece.data(), size);
  }
}

std::string read_log_file(const std::filesystem::path& path) {
  return read_text_file(path, std::uintmax_t{1} << 32, ZeroBytes::leave_out);
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

}  // namespace aqbench
