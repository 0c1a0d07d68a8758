#pragma once
// The images of a case, and the folder given to its method.

#include <filesystem>

#include "core/files.h"
#include "harness/planning/case_images.h"
#include "scenes/dataset/dataset_cache.h"
#include "scenes/dataset/perturb.h"

namespace aqbench {

// The folder in a case's scratch folder with the method's view of the dataset.
inline constexpr const char* kObservationFolder = "observation";

// The folder in a case's scratch folder that its method may write to.
inline constexpr const char* kWorkFolder = "work";

// Copies a dataset's visible part, calibration.json and images/, to the new folder `to`: no link leads from
// there to the truth, and the method can damage only its own copy. Throws Error(io).
void copy_observation(const std::filesystem::path& dataset_dir, const std::filesystem::path& to);

// The images of a case on disk.
struct CaseDataset {
  DatasetPlan plan;
  CachedDataset dataset;                  // with truth/
  std::filesystem::path observation_dir;  // the method's input
  double made_ms = 0;                     // time to render or find both
};

// Finds the dataset in the cache or renders it, and copies its visible part to scratch_dir. Names each camera
// that it renders on stderr. Throws like plan_dataset() and cached_dataset().
CaseDataset make_case_dataset(const Case& planned, const std::filesystem::path& scratch_dir);

// Throws Error(method) if the dataset's files have changed since it was found: for a method that could reach
// them.
void require_unchanged(const CachedDataset& dataset);

}  // namespace aqbench
