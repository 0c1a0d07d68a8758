#pragma once
// The project file of a user's repository, aqbench.json - datasets, methods, suites and gates - and how
// commands use it.

#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/planning/plan.h"
#include "harness/planning/plan_request.h"
#include "harness/planning/suite.h"
#include "pipeline/method/declaration.h"
#include "scenes/dataset/recording_truth.h"

namespace aqbench {

// The supported version of the format.
inline constexpr int kProjectVersion = 1;

// The place of a suite's accepted values.
struct ProjectGate {
  std::string suite;
  std::filesystem::path baseline;  // absolute; need not exist before the first `accept`
};

// The content of a project file.
struct Project {
  std::filesystem::path file, dir;  // absolute; `dir` is the folder of the file
  std::vector<ProjectDataset> datasets;
  std::vector<MethodDeclaration> methods;
  std::vector<Suite> suites;
  std::vector<ProjectGate> gates;
};

// Reads a project file (schema: harness/project/project.schema.json). In every object, keys that begin with
// "//" are comments. Throws Error(input) "FILE:LINE: PLACE: what" for an unknown key, a wrong value, a
// duplicate or reserved name, and a gate of an unknown suite.
Project read_project(const std::filesystem::path& file);

// Returns the project file in a folder or the nearest one above it; nullopt if there is none. Throws
// Error(input) for one that belongs to neither this user nor root: such a file must be named explicitly.
std::optional<std::filesystem::path> find_project_file(const std::filesystem::path& folder);

// Returns the project of --project FILE, or else the one found from the working directory.
std::optional<Project> current_project(const std::optional<std::filesystem::path>& named);

// Adds the project's methods and datasets to a request and, if requested, the project's suite. Throws
// Error(usage) with the known suites for an unknown suite.
void use_project(const Project& project, PlanRequest& request);

// Reads the project of the request, if any, and adds it to the request.
void use_current_project(PlanRequest& request);

// Returns the baseline of a suite. Throws Error(input) naming the project file if it has none.
std::filesystem::path baseline_of(const Project& project, std::string_view suite);

// Returns the JSON Schema (draft 7) of project files as text.
std::string_view project_schema();

// Returns the baseline of a suite in the project file, for gates without one. Throws Error(usage) if it has
// none.
std::filesystem::path gate_baseline(const std::string& suite,
                                    const std::optional<std::filesystem::path>& project_file);

// Replaces the folders of the datasets in a bundle's request by those of the same names in the project of
// --project; does nothing without that flag.
void place_datasets(PlanRequest& request, const std::optional<std::filesystem::path>& project_file);

// A dataset on this machine, and its truth as the project file declares it.
struct PlacedDataset {
  std::filesystem::path directory;
  DeclaredTruth truth = {};
};

// Finds a dataset by its folder, or by its name in the project, with or without "dataset:" before it. Throws
// Error(usage) naming the known datasets where it is neither.
PlacedDataset place_dataset(const std::optional<Project>& project, const std::string& given);

// Sets the folder of the declared methods of a bundle's plan: that of --project, or else the one named by the
// bundle. Throws Error(input) if it is missing on this machine.
void place_project(SweepPlan& plan, const std::optional<std::filesystem::path>& project_file);

// The first line, from 1, of each value of a document, by its JsonPlace path:
// "methods[0].parameters[1].name". The path of the document is "".
using JsonLines = std::map<std::string, std::size_t>;

// Returns the lines of a document accepted by parse_strict_json().
JsonLines lines_of_json(std::string_view text);

// Calls `read` and adds the line to its errors: "FILE: methods[0].unit: what" becomes "FILE:12:
// methods[0].unit: what". A missing value has the line of its parent. Errors of other files are unchanged.
void with_json_lines(std::string_view text, const std::string& file, const std::function<void()>& read);

}  // namespace aqbench
