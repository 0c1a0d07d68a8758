#pragma once
// Recordings in a user's folder, to start a project with.

#include <filesystem>
#include <string>
#include <vector>

namespace aqbench::cli {

// A folder with recordings.
struct FoundInput {
  std::string name;                 // of its folder, with only letters, digits, "_" and "-"
  std::filesystem::path directory;  // relative to the searched folder
  std::string kind;                 // "a COLMAP model", "images and calibration", "images alone"
};

// Returns the recordings in a folder and the three levels of folders below it, sorted, at most 20; hidden
// folders and bundles are skipped. Images inside a recording are not a recording of their own.
std::vector<FoundInput> find_inputs(const std::filesystem::path& folder);

}  // namespace aqbench::cli
