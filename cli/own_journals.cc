#include "cli/own_journals.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <system_error>

#include "core/error.h"
#include "core/files.h"
#include "core/sha256.h"
#include "core/text.h"

namespace aqbench::cli {
namespace {

namespace fs = std::filesystem;

// Returns none where neither variable is set.
std::optional<fs::path> notes_folder() {
  if (const char* const state = std::getenv("XDG_STATE_HOME"); state != nullptr && *state != '\0')
    return fs::path(state) / "aqbench/begun";
  if (const char* const home = std::getenv("HOME"); home != nullptr && *home != '\0')
    return fs::path(home) / ".local/state/aqbench/begun";
  return std::nullopt;
}

// A command like ./run.sh is another program in another folder. So the folder counts, too.
std::string name_of_note(const fs::path& journal) {
  const std::string text = read_text_file(journal);
  return sha256_hex(fs::current_path().string() + "\n" + text.substr(0, text.find('\n') + 1));
}

}  // namespace

std::string remember_own_journal(const fs::path& journal) {
  const auto folder = notes_folder();
  if (!folder) return "neither XDG_STATE_HOME nor HOME is set";
  try {
    std::error_code error;
    fs::create_directories(folder->parent_path(), error);
    if (error) return fmt::format("{}: {}", folder->parent_path().string(), error.message());
    if (::mkdir(folder->c_str(), 0700) != 0 && errno != EEXIST)
      return fmt::format("{}: {}", folder->string(), std::strerror(errno));
    write_file(*folder / name_of_note(journal), utc_now() + "\n");
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

bool is_own_journal(const fs::path& journal) {
  const auto folder = notes_folder();
  struct stat status {};
  if (!folder || ::lstat(folder->c_str(), &status) != 0 || !S_ISDIR(status.st_mode) ||
      status.st_uid != ::geteuid() || (status.st_mode & (S_IWGRP | S_IWOTH)) != 0)
    return false;
  return is_file(*folder / name_of_note(journal));
}

}  // namespace aqbench::cli
