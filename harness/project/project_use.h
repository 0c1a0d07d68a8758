#pragma once
// What commands take from the user's project file (harness/project/project.h).

#include <filesystem>
#include <optional>
#include <string>

#include "harness/planning/plan.h"

namespace aqbench {

// Returns the baseline of a suite that the project file names, for gates that are given none. Throws
// Error(usage) where there is none.
std::filesystem::path gate_baseline(const std::string& suite,
                                    const std::optional<std::filesystem::path>& project_file);

// Replaces the folders of the datasets in a bundle's request by those that the project of --project gives for
// the same names; does nothing where no file is named.
void place_datasets(PlanRequest& request, const std::optional<std::filesystem::path>& project_file);

// Sets the folder in which the declared methods of a bundle's plan run: that of --project, or else the one
// that the bundle names. Throws Error(input) where that is not on this machine.
void place_project(SweepPlan& plan, const std::optional<std::filesystem::path>& project_file);

}  // namespace aqbench
