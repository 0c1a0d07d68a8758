#include "core/descriptor.h"

#include <dirent.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

namespace aqbench {
namespace {

constexpr unsigned kOnExec = 4;

// Closes the descriptors from `first` to `last`, or marks them to be closed on exec.
void close_numbers(unsigned first, unsigned last, unsigned flags) {
  constexpr long close_range = 436;
  if (::syscall(close_range, first, last, flags) == 0) return;
  // Fails with ENOSYS on kernels before 5.9, and the mark on kernels before 5.11.
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  const auto end = static_cast<unsigned>(std::min<rlim_t>(limit.rlim_cur, 65536));
  for (unsigned descriptor = first; descriptor < end && descriptor <= last; ++descriptor) {
    if (flags == kOnExec)
      ::fcntl(static_cast<int>(descriptor), F_SETFD, FD_CLOEXEC);
    else
      ::close(static_cast<int>(descriptor));
  }
}

}  // namespace

Descriptor memory_file(const char* what) {
  Descriptor file(::memfd_create(what, MFD_CLOEXEC));
  if (file.get() < 0) throw Error(ErrorKind::io, std::string(what) + ": " + std::strerror(errno));
  return file;
}

void close_all_but(std::span<const int> kept) {
  DIR* const folder = ::opendir("/proc/self/fd");
  if (folder == nullptr) throw Error(ErrorKind::io, std::string("/proc/self/fd: ") + std::strerror(errno));
  std::vector<int> open;
  while (const dirent* const entry = ::readdir(folder)) open.push_back(std::atoi(entry->d_name));
  const int own = ::dirfd(folder);
  for (const int descriptor : open)
    if (descriptor > STDERR_FILENO && descriptor != own && std::ranges::find(kept, descriptor) == kept.end())
      ::close(descriptor);
  ::closedir(folder);
}

void close_everything_but(int kept) {
  const auto number = static_cast<unsigned>(kept);
  if (number > 0) close_numbers(0, number - 1, 0);
  close_numbers(number + 1, ~0U, 0);
}

void close_on_exec_from(int first) { close_numbers(static_cast<unsigned>(first), ~0U, kOnExec); }

}  // namespace aqbench
