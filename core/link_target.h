#pragma once
// Protection against planted links on the path of an output file.

#include <filesystem>

namespace aqbench {

// Throws Error(io) if a folder of the path is another user's link in a folder that others can write to: the
// kernel follows such links unless fs.protected_symlinks is on.
void refuse_planted_folders(const std::filesystem::path& path);

// Returns the real path of an output file, with links resolved. Throws Error(io) naming a link that may be
// planted: no link is followed in a world-writable folder, and only links of this user and of root in a
// group-writable one. Also throws for another user's pipe or device in a world-writable folder, and for a
// folder of the path that is another user's link in a folder that others can write to.
std::filesystem::path link_target(const std::filesystem::path& path);

}  // namespace aqbench
