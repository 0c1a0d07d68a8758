#pragma once
// The project file of a user's repository, aqbench.json - datasets, methods, suites and gates - and how
// commands use it.

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/datasets/project_datasets.h"
#include "harness/planning/plan.h"
#include "harness/planning/plan_request.h"
#include "harness/planning/suite.h"
#include "harness/project/resources.h"
#include "pipeline/method/declaration.h"

namespace aqbench {

// The place of a suite's accepted values.
struct ProjectGate {
  std::string suite;
  std::filesystem::path baseline;  // absolute; need not exist before the first `accept`
};

// The content of a project file.
struct Project : ProjectDatasets {
  std::vector<MethodDeclaration> methods;
  DeclaredResources resources;  // of these, where they declare some
  std::vector<Suite> suites;
  std::vector<ProjectGate> gates;
};

// Reads a project file (schema: harness/project/project.schema.json). In every object, keys that begin with
// "//" are comments. Throws Error(input) "FILE:LINE: PLACE: what" for an unknown key, a wrong value, a
// duplicate or reserved name, and a gate of an unknown suite.
Project read_project(const std::filesystem::path& file);

// Returns the project of --project FILE, or else the one found from the working directory.
std::optional<Project> current_project(const std::optional<std::filesystem::path>& named);

// Adds the project's methods and datasets to a request and, if requested, the project's suite. Throws
// Error(usage) with the known suites for an unknown suite.
void use_project(const Project& project, PlanRequest& request);

// Reads the project of the request, if any, and adds it to the request.
void use_current_project(PlanRequest& request);

// Returns the baseline of a suite. Throws Error(input) naming the project file if it has none.
std::filesystem::path baseline_of(const Project& project, std::string_view suite);

// Returns the file in which the values of a run are accepted, as a command names it from here: the gate of
// its suite; else "baseline.json", or another name where that is the gate of another suite.
std::string baseline_to_accept(const std::optional<Project>& project, const std::string& suite);

// Returns the JSON Schema (draft 7) of project files as text.
std::string_view project_schema();

// Returns the baseline of a suite in the project file, for gates without one. Throws Error(usage) if it has
// none.
std::filesystem::path gate_baseline(const std::string& suite,
                                    const std::optional<std::filesystem::path>& project_file);

// Replaces the folders of the datasets and the files of the rigs in a bundle's request by those of the same
// names in the project of
// --project; does nothing without that flag.
void place_datasets(PlanRequest& request, const std::optional<std::filesystem::path>& project_file);

// Sets the folder of the declared methods of a bundle's plan: that of --project, or else the one named by the
// bundle. Throws Error(input) if it is missing on this machine.
void place_project(SweepPlan& plan, const std::optional<std::filesystem::path>& project_file);

}  // namespace aqbench
