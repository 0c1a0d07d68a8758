#include "core/descriptor.h"

#include <dirent.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

namespace aqbench {

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

void close_on_exec_from(int first) {
  constexpr long close_range = 436;
  constexpr unsigned on_exec = 4;
  if (::syscall(close_range, first, ~0U, on_exec) == 0) return;
  // A kernel before 5.11.
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  for (int descriptor = first; descriptor < static_cast<int>(std::min<rlim_t>(limit.rlim_cur, 65536));
       ++descriptor)
    ::fcntl(descriptor, F_SETFD, FD_CLOEXEC);
}

}  // namespace aqbench
