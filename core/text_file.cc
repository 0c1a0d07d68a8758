#include "core/files.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

#include "core/error.h"

namespace aqbench {
namespace {

// A text file read in pieces.
class PiecewiseFile {
 public:
  PiecewiseFile(std::filesystem::path path, std::uintmax_t max_bytes, ZeroBytes zero_bytes)
      : path_(std::move(path)), max_bytes_(max_bytes), zero_bytes_(zero_bytes) {
    const std::uintmax_t size = regular_file_size(path_);
    if (size > max_bytes_)
      throw input_error.of_file(path_, "{} bytes, more than the {} allowed", size, max_bytes_);
    file_ = Descriptor(::open(path_.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
    if (file_.get() < 0) throw_file_error(path_, errno);
  }

  std::string_view next() {
    std::string_view bytes = read();
    const std::size_t zero = bytes.find('\0');
    if (zero == bytes.npos || zero_bytes_ == ZeroBytes::keep) return bytes;
    if (zero_bytes_ == ZeroBytes::refuse) refuse_zero();
    const std::string_view text = bytes.substr(0, zero + 1);
    if (bytes.find_first_not_of('\0', zero) != bytes.npos) refuse_zero();
    // Buffers what was read until the rest has been checked.
    ended_.assign(text);
    while (!(bytes = read()).empty())
      if (bytes.find_first_not_of('\0') != bytes.npos) refuse_zero();
    return ended_;
  }

 private:
  std::string_view read() {
    ssize_t got = 0;
    do got = ::read(file_.get(), piece_.data(), piece_.size());
    while (got < 0 && errno == EINTR);
    if (got < 0) throw_file_error(path_, errno);
    if ((read_ += static_cast<std::uintmax_t>(got)) > max_bytes_)
      throw input_error.of_file(path_, "grew beyond the {} bytes allowed", max_bytes_);
    return {piece_.data(), static_cast<std::size_t>(got)};
  }

  [[noreturn]] void refuse_zero() const {
    throw input_error.of_file(path_, "contains a zero byte, so it is not a text file");
  }

  std::filesystem::path path_;
  std::uintmax_t max_bytes_, read_ = 0;
  ZeroBytes zero_bytes_;
  Descriptor file_;
  std::vector<char> piece_ = std::vector<char>(std::size_t{1} << 18);
  std::string ended_;  // the last piece, with one of its zero bytes
};

}  // namespace

ReadBytes bytes_of_file(const std::filesystem::path& path, std::uintmax_t max_bytes, ZeroBytes zero_bytes) {
  const auto file = std::make_shared<PiecewiseFile>(path, max_bytes, zero_bytes);
  return [file] { return file->next(); };
}

std::string read_text_file(const std::filesystem::path& path, std::uintmax_t max_bytes) {
  const ReadBytes read = bytes_of_file(path, max_bytes);
  std::string text;
  for (std::string_view bytes = read(); !bytes.empty(); bytes = read()) text += bytes;
  return text;
}

std::string read_log_file(const std::filesystem::path& path) {
  const ReadBytes read = bytes_of_file(path, std::uintmax_t{1} << 32, ZeroBytes::keep);
  std::string text;
  for (std::string_view bytes = read(); !bytes.empty(); bytes = read())
    std::ranges::copy_if(bytes, std::back_inserter(text), [](char c) { return c != 0; });
  return text;
}

}  // namespace aqbench
