#include "core/safe_output.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <functional>

#include "core/error.h"

namespace aqbench {
namespace {

constexpr int kMostLinks = 40;  // as many as the kernel follows

[[noreturn]] void refuse_planted(const std::filesystem::path& path, const char* what) {
  throw Error(ErrorKind::io, path.string() + ": " + what, path.string());
}

bool is_of_this_user(uid_t owner) { return owner == ::geteuid() || owner == 0; }

// Calls `make` with random numbers until it returns 0 or fails for another reason than that the name is
// taken. Returns its last errno.
int with_new_number(const std::function<int(std::uint64_t number)>& make) {
  constexpr int kMostAttempts = 100;
  int error = EEXIST;
  for (int attempts = 0; attempts < kMostAttempts && error == EEXIST; ++attempts) {
    std::uint64_t number = 0;
    if (::getrandom(&number, sizeof number, 0) != static_cast<ssize_t>(sizeof number)) return errno;
    error = make(number);
  }
  return error;
}

}  // namespace

int create_file_beside(const std::filesystem::path& target, std::filesystem::path& created) {
  int descriptor = -1;
  errno = with_new_number([&](std::uint64_t number) {
    created = fmt::format("{}.tmp{:020}", target.string(), number);
    descriptor = ::open(created.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
    return descriptor < 0 ? errno : 0;
  });
  return descriptor;
}

std::filesystem::path make_folder_beside(const std::filesystem::path& target) {
  std::error_code failed;
  const std::filesystem::path parent = target.parent_path();
  if (!parent.empty()) std::filesystem::create_directories(parent, failed);
  if (failed) throw Error(ErrorKind::io, fmt::format("{}: {}", parent.string(), failed.message()));
  std::filesystem::path folder;
  const int error = with_new_number([&](std::uint64_t number) {
    folder = parent / fmt::format(".{}.partial-{:020}", target.filename().string(), number);
    return ::mkdir(folder.c_str(), 0777) == 0 ? 0 : errno;
  });
  if (error != 0)
    throw Error(ErrorKind::io, fmt::format("{}: {}", folder.string(), std::strerror(error)), folder.string());
  return folder;
}

std::filesystem::path link_target(const std::filesystem::path& path) {
  std::filesystem::path target = path;
  for (int links = 0; links < kMostLinks; ++links) {
    struct stat file {};
    struct stat folder {};
    const std::filesystem::path parent = target.has_parent_path() ? target.parent_path() : ".";
    if (::lstat(target.c_str(), &file) != 0 || ::stat(parent.c_str(), &folder) != 0) return target;
    const bool everybody = (folder.st_mode & S_IWOTH) != 0, group = (folder.st_mode & S_IWGRP) != 0;
    if (!S_ISLNK(file.st_mode)) {
      if (everybody && !S_ISREG(file.st_mode) && !S_ISDIR(file.st_mode) && !is_of_this_user(file.st_uid))
        refuse_planted(target, "is another user's pipe or device in a folder that everybody can write to");
      return target;
    }
    if (everybody) refuse_planted(target, "is a link in a folder that everybody can write to: not followed");
    if (group && !is_of_this_user(file.st_uid))
      refuse_planted(target, "is another user's link in a folder that a group can write to: not followed");
    std::error_code error;
    const std::filesystem::path next = std::filesystem::read_symlink(target, error);
    if (error) return target;
    target = target.parent_path() / next;  // an absolute one replaces the whole
  }
  refuse_planted(path, "is a link that leads nowhere");
}

}  // namespace aqbench
