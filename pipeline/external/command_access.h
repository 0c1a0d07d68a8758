#pragma once
// What a command needs to read: its program and what it names.

#include <filesystem>
#include <string>
#include <vector>

namespace aqbench {

// Returns the files and folders that belong to a command, as far as they exist: the program and its
// interpreter with their folders, the first file that is named with its folder, all else that is named, alone
// or after "NAME=", and the folders in PATH, LD_LIBRARY_PATH and PYTHONPATH. Of a folder "bin" or "shims" the
// one around it counts. A folder for everybody or above the user's own (/tmp, the home folder, what the
// working folder lies in) belongs to no program: of it only the file. Names are relative to `working_folder`;
// empty: to that of this process.
std::vector<std::filesystem::path> command_reads(const std::vector<std::string>& words,
                                                 const std::filesystem::path& working_folder = {});

// Adds a folder that a program runs in, unless it is one for everybody or above the user's own.
void add_program_folder(const std::filesystem::path& folder, std::vector<std::filesystem::path>& reads);

}  // namespace aqbench
