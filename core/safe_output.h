#pragma once
// Where output goes: links that a user made and links that somebody else planted, and new names that nobody
// can know before.

#include <filesystem>

namespace aqbench {

// Returns where a file that is going to be written really lies: `path`, or what the links there lead to.
// Throws Error(io) naming the link where it may be planted: in a folder that everybody can write to no link
// is followed, in one that a group can write to only those of this user and of root. Throws it too for a pipe
// or device of another user in a folder that everybody can write to. Folders above the last one are not
// looked at: who can put a link there decides on the whole folder.
std::filesystem::path link_target(const std::filesystem::path& path);

// Creates an empty file NAME.tmp<number> beside `target`, by a random number and only where nothing of that
// name is. Returns its descriptor, which is then the caller's, and sets `created`; -1 with errno where that
// fails.
int create_file_beside(const std::filesystem::path& target, std::filesystem::path& created);

// Makes an empty folder .NAME.partial-<number> beside `target` in the same way, with all folders above it,
// and returns it. Throws Error(io).
std::filesystem::path make_folder_beside(const std::filesystem::path& target);

}  // namespace aqbench
