#pragma once
// The recordings in a folder, to start a project with, and the files that `aqbench init` writes, as texts.

#include <filesystem>
#include <string>
#include <vector>

namespace aqbench::cli {

// The kind of images of which no camera is known.
inline constexpr const char* kImagesAlone = "images without cameras";

// The kind of a calibration without images: no recording, but cameras for --rig.
inline constexpr const char* kRigAlone = "a rig without images";

// A folder with recordings.
struct FoundInput {
  std::string name;                 // of its folder, with only letters, digits, "_" and "-"
  std::filesystem::path directory;  // relative to the searched folder
  std::string kind;                 // "a COLMAP model", "transforms.json", kImagesAlone
  // What it holds, "12 cameras, 3 frames, truth: surface", who can use it, or why it cannot be read.
  std::string content = {};
};

// Returns the recordings and rigs in a folder, in any layout of docs/layouts.md, and in the three levels of
// folders below it, sorted, at most 20; hidden folders and bundles are skipped. Images inside a recording are
// not a recording of their own.
std::vector<FoundInput> find_inputs(const std::filesystem::path& folder);

// The input of a new project file.
struct ProjectStart {
  std::string method = "mine";  // its name, and that of the suite
  std::string command;          // parameters as "{window=7}"; empty: an example to replace
  std::vector<FoundInput> inputs;
};

// Returns a project file with comments ("//" keys), which read_project() reads.
std::string start_project_text(const ProjectStart& start);

// Returns the suites of the project file, in its order: that of the method, and that of the recordings.
std::vector<std::string> start_suite_names(const ProjectStart& start);

// Returns the lines of a .gitignore: files that commands and the workflow write into the repository.
std::vector<std::string> start_ignored();

// Returns a workflow of GitHub Actions that gates the repository with the project's suite.
std::string start_workflow_text(const ProjectStart& start);

// Returns the step of a workflow that installs aqbench.
std::string start_install_step();

}  // namespace aqbench::cli
