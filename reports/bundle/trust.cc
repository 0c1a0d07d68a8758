#include "reports/bundle/trust.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "core/error.h"
#include "core/files.h"
#include "core/sha256.h"
#include "core/text.h"

namespace aqbench {
namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t kMaxTrustBytes = std::uintmax_t{1} << 20;

// Returns $VARIABLE/aqbench, else ~/BELOW_HOME/aqbench; nullopt where neither is set.
std::optional<fs::path> user_folder(const char* variable, const char* below_home) {
  const char* const folder = std::getenv(variable);
  if (folder != nullptr && *folder != '\0') return fs::path(folder) / "aqbench";
  const char* const home = std::getenv("HOME");
  if (home != nullptr && *home != '\0') return fs::path(home) / below_home / "aqbench";
  return std::nullopt;
}

std::optional<fs::path> notes_folder() {
  const auto folder = user_folder("XDG_STATE_HOME", ".local/state");
  if (!folder) return std::nullopt;
  return *folder / "begun";
}

// A command like ./run.sh is another program in another folder. So the folder counts, too.
std::string name_of_note(const fs::path& journal) {
  const std::string text = read_text_file(journal);
  return sha256_hex(fs::current_path().string() + "\n" + text.substr(0, text.find('\n') + 1));
}

}  // namespace

std::vector<TrustedKey> read_trust_file(const fs::path& path) {
  const std::string text = read_text_file(path, kMaxTrustBytes);
  std::vector<TrustedKey> trusted;
  std::size_t number = 0;
  for (const std::string_view line : split_at(text, '\n')) {
    ++number;
    if (line.empty() || line.starts_with('#')) continue;
    const std::size_t blank = line.find(' ');
    const std::string_view word = blank == line.npos ? "" : line.substr(line.find_last_of(' ') + 1);
    TrustedKey key{std::string(line.substr(0, blank)), std::string(word)};
    const bool blanks_only =
        blank != line.npos && line.find_first_not_of(' ', blank) == line.size() - word.size();
    if (key.name.empty() || !is_sha256_hex(word) || !blanks_only || printable(key.name) != key.name)
      throw Error(ErrorKind::input,
                  fmt::format("{}: line {}: expected NAME FINGERPRINT (64 hexadecimal digits)", path.string(),
                              number),
                  path.string());
    if (const std::string other = name_of_key(trusted, key.fingerprint); !other.empty())
      throw Error(ErrorKind::input,
                  fmt::format("{}: line {}: this key is {}'s already", path.string(), number, other),
                  path.string());
    trusted.push_back(std::move(key));
  }
  return trusted;
}

std::optional<fs::path> default_trust_file() {
  const auto folder = user_folder("XDG_CONFIG_HOME", ".config");
  std::error_code error;
  if (!folder || !fs::is_regular_file(*folder / "trusted_keys.txt", error)) return std::nullopt;
  return *folder / "trusted_keys.txt";
}

std::string name_of_key(const std::vector<TrustedKey>& trusted, std::string_view fingerprint) {
  const auto found = std::ranges::find(trusted, fingerprint, &TrustedKey::fingerprint);
  return found == trusted.end() ? "" : found->name;
}

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
  std::error_code error;
  return fs::is_regular_file(*folder / name_of_note(journal), error);
}

}  // namespace aqbench
