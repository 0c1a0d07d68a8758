#pragma once
// The images of a case, and the folder that its method is given.

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "core/files.h"
#include "harness/planning/case_images.h"
#include "scenes/dataset/dataset_cache.h"
#include "scenes/dataset/perturb.h"

namespace aqbench {

// The folder in a case's scratch folder that holds what its method sees of the dataset.
inline constexpr const char* kObservationFolder = "observation";

// The folder in a case's scratch folder in which its method may write.
inline constexpr const char* kWorkFolder = "work";

// Copies what a method may see of a dataset, calibration.json and images/, to the new folder `to`: no link
// leads from there to the truth, and the method can damage only its own copy. Throws Error(io).
void copy_observation(const std::filesystem::path& dataset_dir, const std::filesystem::path& to);

// The images of a case on disk.
struct CaseDataset {
  DatasetPlan plan;
  CachedDataset dataset;                  // with truth/
  std::filesystem::path observation_dir;  // what the method is given
  double made_ms = 0;                     // time it took to make or find both
};

// Finds the dataset in the cache or renders it, and copies what the method may see to scratch_dir. Names on
// stderr each camera that it renders. Throws as plan_dataset() and cached_dataset() do.
CaseDataset make_case_dataset(const Case& planned, const std::filesystem::path& scratch_dir);

// Throws Error(method) if the dataset's files are no longer what they were when it was found: for a method
// that could reach them.
void require_unchanged(const CachedDataset& dataset);

}  // namespace aqbench
