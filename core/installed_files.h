#pragma once
// Where the files are that belong to this program: found relative to the file that holds this code, so that
// an installation can be moved.

#include <filesystem>
#include <string>
#include <vector>

namespace aqbench {

// Returns the file that holds this code: the running program, or the shared library that brings it into
// another one (into Python, say). Empty where the system does not tell.
std::filesystem::path own_file();

// Returns whether this code is part of a shared library and not of the running program.
bool is_in_shared_library();

// Returns the folders in which modules are looked for, in this order: beside own_file(), as in a build
// folder; the folder of an installation; ../lib/aqbench.
std::vector<std::filesystem::path> module_folders();

// Returns a file of the installation's data folder (share/aqbench), such as "baselines/seed.json"; empty
// where there is no such file, as in a build folder.
std::filesystem::path installed_data_file(const std::string& name);

// Returns `given` where that file is there. Else, where `given` is a plain word, the baseline of that name
// which was installed ("seed" is share/aqbench/baselines/seed.json) if there is one; else `given`.
std::filesystem::path baseline_file(const std::filesystem::path& given);

}  // namespace aqbench
