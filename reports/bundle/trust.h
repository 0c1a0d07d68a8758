#pragma once
// The people whom a user trusts, by name, and the bundles that his own processes began.

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace aqbench {

// A person and one of his keys. A person may have several.
struct TrustedKey {
  std::string name;
  std::string fingerprint;  // key_fingerprint(), as verify prints it
};

// Reads a file of lines "NAME FINGERPRINT"; empty lines and those that begin with "#" are comments. Throws
// Error(input) naming file and line for anything else and for a key of two people, and as read_file().
std::vector<TrustedKey> read_trust_file(const std::filesystem::path& path);

// Returns the user's own trust file, $XDG_CONFIG_HOME/aqbench/trusted_keys.txt, else
// ~/.config/aqbench/trusted_keys.txt; none where it is not there.
std::optional<std::filesystem::path> default_trust_file();

// Returns the name of the person whose key this is; "" for an unknown key.
std::string name_of_key(const std::vector<TrustedKey>& trusted, std::string_view fingerprint);

// Notes in the user's own folder ($XDG_STATE_HOME/aqbench/begun, else ~/.local/state/aqbench/begun, mode
// 0700) that a process of his wrote the first line of this journal, from this working folder. Returns "", or
// why it could not be noted.
std::string remember_own_journal(const std::filesystem::path& journal);

// Returns whether remember_own_journal() noted a journal with this first line from this working folder. False
// too where another user could write into the folder of these notes.
bool is_own_journal(const std::filesystem::path& journal);

}  // namespace aqbench
