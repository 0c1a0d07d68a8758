#pragma once
// Methods whose outputs exist already: files that a pattern names, "results/{method}/{scene}/seed{seed}.ply".

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pipeline/method/method.h"
#include "scenes/cloud/reconstruction.h"

namespace aqbench {

// Names of a pattern with their values: {"scene", "tank"}.
using PatternValues = std::vector<std::pair<std::string, std::string>>;

// A file that a pattern names, and the values of the names that were not known.
struct PatternFile {
  std::filesystem::path file;
  PatternValues values;
};

// Returns the existing files, with `folders` also folders, that a pattern names, relative to `base`, sorted
// by path; folders that had to be listed are added to `listed`. {NAME} stands for its known value or for any
// text without a slash, {seed} for a whole number with any zeros before it, and * for any text without a
// slash.
std::vector<PatternFile> files_of_pattern(const std::filesystem::path& base, std::string_view pattern,
                                          const PatternValues& known = {},
                                          std::vector<std::filesystem::path>* listed = nullptr,
                                          bool folders = false);

// Reads the given outputs of a declared method. Throws CannotRunHere naming the pattern where no file exists,
// Error(method) for two files and those that cannot be read.
Reconstruction run_given(const Observation& observation, const MethodInput& input);

// Returns the files of a case, and folders in which the pattern looks for them.
std::vector<std::filesystem::path> given_reads(const Observation& observation, const MethodInput& input);

// Returns the files of a case by their names in the project.
std::vector<GuestPart> given_guest(const MethodInput& input);

}  // namespace aqbench
