#pragma once
// What makes a program of the user what it is: the files of its command.

#include <filesystem>
#include <string>
#include <vector>

#include "pipeline/method/method.h"

namespace aqbench {

// Returns the program of a command, looked up in PATH, and every regular file that another word names, alone
// or after "NAME=". Names are relative to `base` for files in it. `working_folder` as in command_reads().
std::vector<GuestPart> command_parts(const std::vector<std::string>& words,
                                     const std::filesystem::path& working_folder,
                                     const std::filesystem::path& base);

// Returns the part for a path that a declaration lists, relative to `base`.
GuestPart listed_part(const std::string& path, const std::filesystem::path& base);

// Returns the lock file of an environment: the one declared, else the first usual one (pixi.lock, uv.lock,
// poetry.lock, conda-lock.yml, requirements.txt, environment.yml) beside the environment or in the project.
std::vector<GuestPart> lock_part(const MethodDeclaration& method, const std::filesystem::path& project_dir);

}  // namespace aqbench
