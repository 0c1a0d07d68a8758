#pragma once
// How commands use the project file (harness/project/project.h).

#include <filesystem>
#include <optional>
#include <string>

#include "harness/planning/plan.h"
#include "harness/project/project.h"
#include "scenes/dataset/truth_entry.h"

namespace aqbench {

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

}  // namespace aqbench
