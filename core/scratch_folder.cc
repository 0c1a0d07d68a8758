#include "core/scratch_folder.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <string>
#include <system_error>
#include <vector>

#include "core/error.h"
#include "core/files.h"

namespace aqbench {
namespace {

constexpr std::string_view kScratchPrefix = "aqbench_";
constexpr std::size_t kRandomLetters = 6;  // of mkdtemp
constexpr const char* kMarkFile = ".aqbench-scratch";
constexpr const char* kNewMarkFile = ".aqbench-scratch.new";
constexpr std::string_view kMarkText =
    "a folder of aqbench for temporary files; removed when its owner is gone\n";

// Writes and locks the mark before naming it, so it is never visible unlocked while its owner lives.
Descriptor make_mark(const std::filesystem::path& folder) {
  const std::filesystem::path unnamed = folder / kNewMarkFile;
  Descriptor mark(::open(unnamed.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (mark.get() < 0) throw_file_error(unnamed, errno);
  if (const int error = write_all(mark.get(), kMarkText); error != 0) throw_file_error(unnamed, error);
  if (::flock(mark.get(), LOCK_EX | LOCK_NB) != 0) throw_file_error(unnamed, errno);
  if (::rename(unnamed.c_str(), (folder / kMarkFile).c_str()) != 0) throw_file_error(unnamed, errno);
  return mark;
}

// Returns the locked mark of a folder whose owner is gone, or none.
Descriptor take_abandoned_mark(const std::filesystem::path& folder) {
  const Descriptor opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct stat status {};
  if (opened.get() < 0 || ::fstat(opened.get(), &status) != 0 || status.st_uid != ::geteuid())
    return Descriptor();
  Descriptor mark(::openat(opened.get(), kMarkFile, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (mark.get() < 0 || ::fstat(mark.get(), &status) != 0 || !S_ISREG(status.st_mode) ||
      status.st_uid != ::geteuid() || status.st_size != static_cast<off_t>(kMarkText.size()))
    return Descriptor();
  std::array<char, kMarkText.size()> text{};
  if (::read(mark.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size()) ||
      std::string_view(text.data(), text.size()) != kMarkText)
    return Descriptor();
  if (::flock(mark.get(), LOCK_EX | LOCK_NB) != 0) return Descriptor();
  return mark;
}

// Makes folders without owner permissions accessible again.
void make_removable(const std::filesystem::path& folder) {
  std::error_code ignored;
  std::filesystem::permissions(folder, std::filesystem::perms::owner_all, std::filesystem::perm_options::add,
                               ignored);
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored))
    if (std::filesystem::is_directory(entry.symlink_status(ignored))) make_removable(entry.path());
}

void remove_whole(const std::filesystem::path& folder, std::error_code& failure) {
  std::filesystem::remove_all(folder, failure);
  if (!failure) return;
  make_removable(folder);
  std::filesystem::remove_all(folder, failure);
}

}  // namespace

bool is_scratch_name(std::string_view name) {
  return name.size() == kScratchPrefix.size() + kRandomLetters && name.starts_with(kScratchPrefix);
}

int remove_abandoned_scratch(const std::filesystem::path& parent) {
  std::error_code ignored;
  std::vector<std::filesystem::path> folders;
  for (const auto& entry : std::filesystem::directory_iterator(parent, ignored))
    if (is_scratch_name(entry.path().filename().string())) folders.push_back(entry.path());
  int removed = 0;
  for (const std::filesystem::path& folder : folders) {
    const Descriptor mark = take_abandoned_mark(folder);
    if (mark.get() < 0) continue;
    std::error_code failure;
    remove_whole(folder, failure);
    if (!failure) ++removed;
  }
  return removed;
}

ScratchFolder::ScratchFolder() {
  std::error_code error;
  const std::filesystem::path parent = std::filesystem::temp_directory_path(error);
  if (error) throw io_error("TMPDIR: cannot find a folder for temporary files: {}", error.message());
  static std::once_flag first;
  std::call_once(first, [&] { remove_abandoned_scratch(parent); });
  std::string name = (parent / (std::string(kScratchPrefix) + "XXXXXX")).string();
  if (::mkdtemp(name.data()) == nullptr) throw io_error("{}: {}", name, std::strerror(errno));
  path_ = name;
  try {
    mark_ = make_mark(path_);
  } catch (...) {
    std::filesystem::remove_all(path_, error);
    throw;
  }
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  remove_whole(path_, ignored);
}

}  // namespace aqbench
