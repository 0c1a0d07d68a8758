#pragma once
// Runs the command of a declared method in its environment, inside the isolation of every method.

#include <filesystem>
#include <string>
#include <vector>

#include "pipeline/external/program_run.h"
#include "pipeline/method/method.h"

namespace aqbench {

// Returns the words that start the command in its environment: with a program of bin/ where that holds one of
// the name, or by apptainer or podman, which see `bound` (readable or writable folders) under their own
// names. An environment that is none leaves the words as they are.
std::vector<std::string> words_in_environment(const MethodInput& input, std::vector<std::string> words,
                                              const std::filesystem::path& working_folder,
                                              const std::vector<std::filesystem::path>& bound);

// Returns the variables of an environment: PATH with its bin/ first, VIRTUAL_ENV or CONDA_PREFIX.
std::vector<std::pair<std::string, std::string>> environment_variables(const MethodInput& input);

// Returns in one line what of the environment is missing: its folder, the image file, the client; "" if
// nothing is.
std::string environment_problem(const MethodInput& input);

// Returns the image of a container by its digest; none for another environment. The digest of a file is its
// hash, that of a name comes from the client. Throws Error(method) where the client does not know the image.
std::vector<GuestPart> image_part(const MethodInput& input);

// Starts the image once with the program `true`, as `program` would start. Throws CannotRunHere with the
// client's last line where it does not.
void require_container_starts(const MethodInput& input, const ProgramRun& program,
                              const std::filesystem::path& dataset_dir);

}  // namespace aqbench
