#pragma once
// Links on the way to a file that is going to be written: anybody may have put them there.

#include <filesystem>

namespace aqbench {

// Throws Error(io) where a folder of the path is a link of another user in a folder that others can write to:
// the kernel follows such a link unless fs.protected_symlinks is on.
void refuse_planted_folders(const std::filesystem::path& path);

// Returns where a file that is going to be written really lies: `path`, or what the links there lead to.
// Throws Error(io) naming the link where it may be planted: in a folder that everybody can write to no link
// is followed, in one that a group can write to only those of this user and of root. Throws it too for a pipe
// or device of another user in a folder that everybody can write to, and for a folder of the path that is
// another user's link in a folder that others can write to.
std::filesystem::path link_target(const std::filesystem::path& path);

}  // namespace aqbench
