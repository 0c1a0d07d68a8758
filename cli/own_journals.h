#pragma once
// Which bundles this user's own processes began.

#include <filesystem>
#include <string>

namespace aqbench::cli {

// Notes in the user's own folder ($XDG_STATE_HOME/aqbench/begun, else ~/.local/state/aqbench/begun, mode
// 0700) that a process of his wrote the first line of this journal, from this working folder. Returns "", or
// why it could not be noted.
std::string remember_own_journal(const std::filesystem::path& journal);

// Returns whether remember_own_journal() noted a journal with this first line from this working folder. False
// too where another user could write into the folder of these notes.
bool is_own_journal(const std::filesystem::path& journal);

}  // namespace aqbench::cli
