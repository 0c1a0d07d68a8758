#pragma once
// What lies in a user's folder that a project can begin with.

#include <filesystem>
#include <string>
#include <vector>

namespace aqbench::cli {

// A folder with recordings.
struct FoundInput {
  std::string name;                 // of its folder, with nothing but letters, digits, "_" and "-"
  std::filesystem::path directory;  // relative to the folder that was searched
  std::string kind;                 // "a COLMAP model", "images and calibration", "images alone"
};

// Returns the recordings in a folder and the three levels of folders below it, sorted, at most 20; hidden
// folders and bundles are passed over. Images inside of a recording are no recording of their own.
std::vector<FoundInput> find_inputs(const std::filesystem::path& folder);

}  // namespace aqbench::cli
