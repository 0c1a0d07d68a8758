#pragma once
// Who ran as a program of the user: "guest" of a record.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/members.h"

namespace aqbench {

// The identity of a program of the user, as it was before it ran.
struct Guest {
  // Name and SHA-256 of program, script, files and folders that it reads, lock file and image; names in its
  // project are relative to that, and those of folders end in "/". A missing file has no hash.
  std::vector<std::pair<std::string, std::string>> files;
  std::string runs_in;          // "venv .venv"; empty: as aqbench itself
  std::string commit;           // of the repository around its project; empty: it is in none
  std::optional<bool> changed;  // whether that has changes of its files that are not committed

  template <class Row>
  static void members(const Row& row) {
    row("files", &Guest::files, kOrNull,
        "SHA-256 of program, script, files and folders that it reads, lock file and image.");
    row("runs_in", &Guest::runs_in, kOrNull, "Its environment: venv .venv.");
    row("commit", &Guest::commit, kOrNull, "Of the repository around its project.");
    row("changed", &Guest::changed, 0,
        "Whether files of that repository had changes that were not committed.");
  }
};

// Returns one line for each file that differs: "run.py is SHA, was SHA". The commit is no difference: it says
// where files came from, not what ran.
std::vector<std::string> guest_differences(const Guest& before, const Guest& now);

// Returns "3f2a9c01d4e5, changed", the short commit of the repository; "" if there is none.
std::string commit_text(const Guest& guest);

}  // namespace aqbench
