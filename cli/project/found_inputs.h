#pragma once
// Recordings in a user's folder, to start a project with.

#include <filesystem>
#include <string>
#include <vector>

namespace aqbench::cli {

// The kind of images of which no camera is known.
inline constexpr const char* kImagesAlone = "images without cameras";

// A folder with recordings.
struct FoundInput {
  std::string name;                 // of its folder, with only letters, digits, "_" and "-"
  std::filesystem::path directory;  // relative to the searched folder
  std::string kind;                 // "a COLMAP model", "transforms.json", kImagesAlone
  // What it holds, "12 cameras, 3 frames, truth: surface", who can use it, or why it cannot be read.
  std::string content = {};
};

// Returns the recordings in a folder, in any layout of docs/layouts.md, and the three levels of folders below
// it, sorted, at most 20; hidden folders and bundles are skipped. Images inside a recording are not a
// recording of their own.
std::vector<FoundInput> find_inputs(const std::filesystem::path& folder);

}  // namespace aqbench::cli
