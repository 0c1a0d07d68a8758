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
  std::string kind;                 // "a COLMAP model", "transforms.json", "images only"
  // What it holds, "12 cameras, 3 frames, truth: surface", or why it cannot be read; empty for images only.
  std::string content = {};
};

// Returns the recordings in a folder, in any layout of docs/layouts.md, and the three levels of folders below
// it, sorted, at most 20; hidden folders and bundles are skipped. Images inside a recording are not a
// recording of their own.
std::vector<FoundInput> find_inputs(const std::filesystem::path& folder);

}  // namespace aqbench::cli
