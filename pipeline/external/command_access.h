#pragma once
// The files a command needs to read: its program and the files it names.

#include <filesystem>
#include <string>
#include <vector>

namespace aqbench {

// Returns the existing files and folders that belong to a command: the program and its interpreter with their
// folders, the first file named with its folder, other paths named alone or after "NAME=", and the folders in
// PATH, LD_LIBRARY_PATH and PYTHONPATH. For a folder "bin" or "shims" its parent counts. Shared folders and
// those above the user's own (/tmp, the home folder, parents of the working folder) belong to no program:
// only the file in them is added. Names are relative to `working_folder`; empty: that of this process.
std::vector<std::filesystem::path> command_reads(const std::vector<std::string>& words,
                                                 const std::filesystem::path& working_folder = {});

// Adds the folder that a program runs in, unless it is shared or above the user's own.
void add_program_folder(const std::filesystem::path& folder, std::vector<std::filesystem::path>& reads);

}  // namespace aqbench
