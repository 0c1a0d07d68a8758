#pragma once
// The files that `aqbench init` writes, as texts.

#include <string>
#include <vector>

#include "cli/project/found_inputs.h"

namespace aqbench::cli {

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

}  // namespace aqbench::cli
