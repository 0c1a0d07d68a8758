#include "core/files.h"

#include <sys/stat.h>
#include <unistd.h>

#include <system_error>

#include "core/error.h"

namespace aqbench {
namespace {

constexpr int kMaxLinks = 40;  // same as the kernel's limit

[[noreturn]] void refuse_planted(const std::filesystem::path& path, const char* what) {
  throw io_error.of_file(path, "{}", what);
}

bool is_of_this_user(uid_t owner) { return owner == ::geteuid() || owner == 0; }

}  // namespace

void refuse_planted_folders(const std::filesystem::path& path) {
  std::error_code error;
  const std::filesystem::path whole = std::filesystem::absolute(path, error).lexically_normal();
  for (std::filesystem::path folder = whole.parent_path(); folder.has_relative_path();
       folder = folder.parent_path()) {
    struct stat link {};
    struct stat above {};
    if (::lstat(folder.c_str(), &link) != 0 || !S_ISLNK(link.st_mode) || is_of_this_user(link.st_uid))
      continue;
    if (::stat(folder.parent_path().c_str(), &above) == 0 && (above.st_mode & (S_IWOTH | S_IWGRP)) != 0)
      refuse_planted(folder, "refusing to follow another user's link in a folder that others can write to");
  }
}

std::filesystem::path link_target(const std::filesystem::path& path) {
  refuse_planted_folders(path);
  std::filesystem::path target = path;
  for (int links = 0; links < kMaxLinks; ++links) {
    struct stat file {};
    struct stat folder {};
    const std::filesystem::path parent = target.has_parent_path() ? target.parent_path() : ".";
    if (::lstat(target.c_str(), &file) != 0 || ::stat(parent.c_str(), &folder) != 0) return target;
    const bool everybody = (folder.st_mode & S_IWOTH) != 0, group = (folder.st_mode & S_IWGRP) != 0;
    if (!S_ISLNK(file.st_mode)) {
      if (everybody && !S_ISREG(file.st_mode) && !S_ISDIR(file.st_mode) && !is_of_this_user(file.st_uid))
        refuse_planted(target, "refusing another user's pipe or device in a world-writable folder");
      return target;
    }
    if (everybody) refuse_planted(target, "refusing to follow a link in a world-writable folder");
    if (group && !is_of_this_user(file.st_uid))
      refuse_planted(target, "refusing to follow another user's link in a group-writable folder");
    std::error_code error;
    const std::filesystem::path next = std::filesystem::read_symlink(target, error);
    if (error) return target;
    target = target.parent_path() / next;  // an absolute target replaces the whole path
  }
  refuse_planted(path, "is a dangling link");
}

}  // namespace aqbench
