#pragma once
// The project file of a user's repository, aqbench.json: their datasets, methods, suites and gates.

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/json.h"
#include "harness/planning/plan_request.h"
#include "harness/planning/suite.h"
#include "pipeline/method/declaration.h"

namespace aqbench {

// The version of the format that is read.
inline constexpr int kProjectVersion = 1;

// A dataset with a name, the scene "dataset:NAME".
struct ProjectDataset {
  std::string name;
  std::filesystem::path directory;  // absolute
  JsonBox truth;                    // as scenes/dataset/truth_entry.h reads it; an empty object: none
  std::string where;                // "FILE:LINE: datasets.NAME"
};

// Where the accepted values of a suite are.
struct ProjectGate {
  std::string suite;
  std::filesystem::path baseline;  // absolute; need not exist before the first `accept`
};

// What a project file says.
struct Project {
  std::filesystem::path file, dir;  // absolute; `dir` is the folder of the file
  std::vector<ProjectDataset> datasets;
  std::vector<MethodDeclaration> methods;
  std::vector<Suite> suites;
  std::vector<ProjectGate> gates;
};

// Reads a project file (schema: harness/project/project.schema.json). In every object, keys that begin with
// "//" are comments. Throws Error(input) "FILE:LINE: PLACE: what" for an unknown key, a wrong value, a name
// that stands twice or is one of aqbench's own, and a gate of an unknown suite.
Project read_project(const std::filesystem::path& file);

// Returns the project file in a folder or in the nearest one above it; nullopt where there is none. Throws
// Error(input) for one that belongs to neither this user nor root: such a file is read if it is named.
std::optional<std::filesystem::path> find_project_file(const std::filesystem::path& folder);

// Returns the project of --project FILE, or else the one that is found from the working directory.
std::optional<Project> current_project(const std::optional<std::filesystem::path>& named);

// Gives a request the project's methods and datasets and, where it asks for a suite of the project, that
// suite. Throws Error(usage) for a suite that neither the project nor aqbench has, naming those of both.
void use_project(const Project& project, PlanRequest& request);

// Reads the project of the request, if there is one, and gives it to the request.
void use_current_project(PlanRequest& request);

// Returns the baseline of a suite. Throws Error(input) naming the project file where it has none for it.
std::filesystem::path baseline_of(const Project& project, std::string_view suite);

// Returns the schema of project files, JSON Schema draft 7, as text.
std::string_view project_schema();

}  // namespace aqbench
